#!/usr/bin/env python3
"""What a service would answer that has loaded what export wrote: from the
formats' specification, without any code of bloomtool's.

served.py bitmap SOCKET KEY RULE BITS HASHES: of the keys on stdin, one a line,
those whose bits a Redis server all has.  RULE is guava, guava-bitmap or
go-zero.

served.py redisbloom FILE KEY: FILE has the commands that load a filter.  They
are taken apart with all that the module checks; then the keys as above.

served.py header FILE: what the header of that filter says, as JSON.
"""
import json
import math
import socket
import struct
import sys

MASK = (1 << 64) - 1
LN2, LN2_SQUARED = 0.693147180559945, 0.480453013918201
NONSCALING = 8
CHUNK_MAX = 16 << 20            # the module's own


def rotl(x, n):
    return (x << n | x >> (64 - n)) & MASK


def murmur3(key):
    """MurmurHash3_x64_128 with seed 0: both halves."""
    c1, c2 = 0x87c37b91114253d5, 0x4cf5ad432745937f

    def mix1(w):
        return rotl(w * c1 & MASK, 31) * c2 & MASK

    def mix2(w):
        return rotl(w * c2 & MASK, 33) * c1 & MASK

    def final(x):
        x = (x ^ x >> 33) * 0xff51afd7ed558ccd & MASK
        x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53 & MASK
        return x ^ x >> 33

    h1 = h2 = 0
    whole = len(key) // 16 * 16
    for u, v in struct.iter_unpack("<QQ", key[:whole]):
        h1 = rotl(h1 ^ mix1(u), 27) + h2
        h1 = (h1 * 5 + 0x52dce729) & MASK
        h2 = rotl(h2 ^ mix2(v), 31) + h1
        h2 = (h2 * 5 + 0x38495ab5) & MASK
    u, v = struct.unpack("<QQ", key[whole:].ljust(16, b"\0"))
    h1 ^= mix1(u) ^ len(key)
    h2 ^= mix2(v) ^ len(key)
    h1 = h1 + h2 & MASK
    h2 = h2 + h1 & MASK
    h1, h2 = final(h1), final(h2)
    h1 = h1 + h2 & MASK
    return h1, h2 + h1 & MASK


def murmur64a(key, seed):
    c = 0xc6a4a7935bd1e995
    h = seed ^ len(key) * c & MASK
    whole = len(key) // 8 * 8
    for w, in struct.iter_unpack("<Q", key[:whole]):
        w = w * c & MASK
        w = (w ^ w >> 47) * c & MASK
        h = (h ^ w) * c & MASK
    if len(key) > whole:
        h = (h ^ int.from_bytes(key[whole:], "little")) * c & MASK
    h = (h ^ h >> 47) * c & MASK
    return h ^ h >> 47


# ---- bits of a key ----

def guava(key, m, k):
    h1, h2 = murmur3(key)
    return [(h1 + i * h2 & MASK >> 1) % m for i in range(k)]


def guava_bitmap(key, m, k):
    h1, _ = murmur3(key)
    places = []
    for i in range(1, k + 1):
        x = (h1 & 0xffffffff) + i * (h1 >> 32) & 0xffffffff
        places.append((x if x < 1 << 31 else ~x & 0xffffffff) % m)
    return places


def go_zero(key, m, k):
    return [murmur3(key + bytes([i]))[0] % m for i in range(k)]


RULES = {"guava": guava, "guava-bitmap": guava_bitmap, "go-zero": go_zero}


def keys_of(stream):
    return [line.rstrip(b"\n") for line in stream]


def say(keys):
    for key in keys:
        sys.stdout.buffer.write(key + b"\n")


# ---- a server ----

def command(*args):
    return b"*%d\r\n" % len(args) + b"".join(
        b"$%d\r\n%s\r\n" % (len(a), a) for a in args)


def ask(path, commands):
    """All at once; the answers are numbers."""
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(path)
        answers = s.makefile("rb")
        for i in range(0, len(commands), 1000):
            some = commands[i:i + 1000]
            s.sendall(b"".join(some))
            for _ in some:
                answer = answers.readline()
                assert answer[:1] == b":", answer
                yield int(answer[1:])


def bitmap(path, name, rule, bits, hashes):
    keys = keys_of(sys.stdin.buffer)
    places = [RULES[rule](key, int(bits), int(hashes)) for key in keys]
    answers = ask(path, [command(b"GETBIT", name.encode(), b"%d" % place)
                         for some in places for place in some])
    say(key for key, some in zip(keys, places)
        if all([next(answers) for _ in some]))


# ---- the module ----

def commands_in(data):
    at = 0

    def number(mark):
        nonlocal at
        end = data.index(b"\r\n", at)
        assert data[at:at + 1] == mark, data[at:end]
        x, at = int(data[at + 1:end]), end + 2
        return x

    while at < len(data):
        args = []
        for _ in range(number(b"*")):
            n = number(b"$")
            args.append(data[at:at + n])
            at += n + 2
            assert data[at - 2:at] == b"\r\n"
        yield args


class Sub:
    """A sub-filter, by its part of the header."""

    def __init__(self, at):
        (self.bytes, self.bits, self.items, self.error, self.bpe, self.k,
         self.capacity, self.n2) = at
        assert 0 < self.error < 1 and self.n2 <= 63
        assert self.bits == 8 * self.bytes > 0 and self.bits >= 1 << self.n2
        assert self.k == math.ceil(LN2 * self.bpe), (self.k, self.bpe)
        self.data = b""

    def has(self, a, b):
        places = [(a + i * b & MASK) % self.bits for i in range(self.k)]
        return all(self.data[p >> 3] >> (p & 7) & 1 for p in places)


def filter_of(name, data):
    """Its header and sub-filters, loaded as the module does."""
    args = list(commands_in(data))
    delete, head, chunks = args[0], args[1], args[2:]
    name = head[1] if name is None else name.encode()
    assert delete == [b"DEL", name], delete
    assert head[:3] == [b"BF.LOADCHUNK", name, b"1"], head[:3]
    head = head[3]
    items, f, options, growth = struct.unpack_from("<QIII", head)
    assert len(head) == 20 + 53 * f and options & ~15 == 0
    subs = [Sub(x) for x in struct.iter_unpack("<QQQddIQB", head[20:])]
    assert items == sum(s.items for s in subs)
    j = done = 0
    for word, key, iterator, bits in chunks:
        assert (word, key) == (b"BF.LOADCHUNK", name)
        assert 0 < len(bits) <= CHUNK_MAX
        done += len(bits)
        assert int(iterator) == 1 + done, iterator
        subs[j].data += bits
        assert len(subs[j].data) <= subs[j].bytes, "crosses a sub-filter"
        if len(subs[j].data) == subs[j].bytes:
            j += 1
    assert j == f, "bits are missing"
    return {"items": items, "options": options, "growth": growth,
            "chunks": len(chunks)}, subs


def read(path):
    with open(path, "rb") as f:
        return f.read()


def redisbloom(path, name):
    header, subs = filter_of(name, read(path))
    keys = []
    assert header["options"] & 7 == 5           # this hash, any modulus
    for key in keys_of(sys.stdin.buffer):
        a = murmur64a(key, 0xc6a4a7935bd1e995)
        b = murmur64a(key, a)
        if any(s.has(a, b) for s in subs):
            keys.append(key)
    say(keys)


def header(path):
    head, subs = filter_of(None, read(path))
    assert (head["options"] & NONSCALING != 0) <= (len(subs) == 1)
    fields = "bytes", "bits", "items", "error", "k", "capacity", "n2"
    head["filters"] = [[getattr(s, f) for f in fields] for s in subs]
    print(json.dumps(head, separators=(",", ":")))


{"bitmap": bitmap, "redisbloom": redisbloom,
 "header": header}[sys.argv[1]](*sys.argv[2:])
