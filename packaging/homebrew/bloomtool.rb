# Not run: written without a Mac at hand.  bloomtool has no address to fetch it
# from yet: put that of "make dist"'s tarball into url, what "shasum -a 256"
# prints of it into sha256, and the address of the project into homepage.
class Bloomtool < Formula
  desc "Bloom filter for the shell"
  homepage "FILL IN"
  url "FILL IN/bloomtool-1.0.0.tar.gz"
  sha256 "FILL IN"
  license "ISC"

  depends_on "xxhash" => :build
  uses_from_macos "zlib"

  def install
    system "make", "CC=#{ENV.cc}"
    system "make", "install", "CC=#{ENV.cc}", "PREFIX=#{prefix}"
  end

  test do
    system bin/"bloomtool", "create", "-q", "-n", "10", "t.bf"
    assert_equal "key\n", pipe_output("#{bin}/bloomtool add -v t.bf", "key\n", 0)
    assert_equal "key\n", pipe_output("#{bin}/bloomtool check t.bf", "key\n", 0)
  end
end
