# bloomtool.  GNU make and bmake both run this; "make help" lists the targets.

CC = cc
CFLAGS = -O3 -g
CPPFLAGS =
LDFLAGS =
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/site-functions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
DESTDIR =

WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wformat=2 -Wvla
ALL_CPPFLAGS = -D_DEFAULT_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 \
	$(CPPFLAGS)
ALL_CFLAGS = -std=c11 -pthread $(WARNINGS) $(CFLAGS)
# What the compiler has of it; tools/hardening finds out.
HARDENING = $$(cat .hardening-compile)
LINK_HARDENING = $$(cat .hardening-link)
SANITIZE = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer

# Everything but the commands: what the unit tests and the benchmark link.
FOREIGN = foreign/bits-and-blooms.o foreign/dcso.o foreign/foreign.o \
	foreign/go-zero.o foreign/guava.o foreign/hashes.o foreign/libbloom.o \
	foreign/places.o foreign/pybloom.o foreign/redis-bitmap.o \
	foreign/redisbloom.o foreign/unread.o
PARTS = adder.o axis.o bar.o boot.o build.o bus.o census.o counters.o crew.o \
	curve.o draft.o dump.o encode.o entry.o except.o facts.o factsjson.o \
	factslayers.o factstext.o fault.o feed.o filter.o format.o gather.o \
	hash.o header.o heir.o intake.o json.o keyopt.o keys.o layers.o \
	lines.o live.o locks.o make.o mapfile.o members.o merge.o names.o \
	network.o newfile.o nofile.o number.o options.o output.o owner.o \
	page1.o parts.o pending.o piece.o plan.o plot.o progress.o query.o \
	redis.o regular.o report.o samefile.o scheme.o screen.o signals.o \
	simd.o sink.o sizing.o source.o space.o stable.o statusline.o \
	stream.o target.o text.o unseen.o view.o wide.o writer.o writing.o \
	$(FOREIGN)
OBJ = bloomtool.o add.o check.o create.o estimate.o export.o import.o \
	recover.o stats.o union.o $(PARTS)
UNIT = tests/unit/bar tests/unit/except tests/unit/filter tests/unit/foreign \
	tests/unit/format tests/unit/hash tests/unit/keys tests/unit/layers \
	tests/unit/lines tests/unit/number tests/unit/pending \
	tests/unit/places tests/unit/plot tests/unit/progress \
	tests/unit/sizing tests/unit/source tests/unit/statusline

.PHONY: all demo check check-cross check-asan check-valgrind check-install \
	check-packages coverage torture fuzz lint bench pictures bench-check \
	completions static dist deb install uninstall clean help
.SUFFIXES: .c .o

all: bloomtool		## build ./bloomtool; installs nothing

bloomtool: $(OBJ)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) $(LINK_HARDENING) -o $@ $(OBJ) -lm -lz

static: bloomtool-static	## ./bloomtool-static, without shared libraries

bloomtool-static: $(OBJ)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) $(LINK_HARDENING) -static-pie -o $@ \
		$(OBJ) -lm -lz

.c.o:
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(HARDENING) -MMD -MP -c -o $@ $<

# Another compiler: everything anew, with the flags that it takes.
.compiler: .force
	@echo "$(CC)" | cmp -s - $@ || echo "$(CC)" > $@
.force:

# Says what is missing before the compiler does.
$(OBJ): .needs-met
.needs-met: tools/need tools/hardening .compiler
	@CPPFLAGS="$(CPPFLAGS)" tools/need --check build "$(CC)"
	@tools/hardening compile "$(CC)" > .hardening-compile
	@tools/hardening link "$(CC)" > .hardening-link
	@touch $@

$(UNIT): $(PARTS) tests/unit/*.[ch]
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(HARDENING) $(LDFLAGS) \
		$(LINK_HARDENING) -I. -o $@ $@.c $(PARTS) -lm -lz

demo:			## install what is missing, build, show the main job
	@tools/need build "$(CC)"
	@echo "building ..."
	@$(MAKE) -s all
	@echo
	@tools/demo

check:			## install what is missing, run all tests
	@tools/need test "$(CC)"
	@$(MAKE) all $(UNIT)
	@tests/run $(UNIT)

torture:		## kills, power cuts, failing calls, bad files, odd input
	@tools/need torture "$(CC)"
	@$(MAKE) all
	@BATS_FILES=tests/torture tests/run

fuzz:			## a minute of each fuzzer; FUZZ_SECONDS=N for more
	@tools/need fuzz || true
	@fuzz/run

check-asan:		## all tests with address and undefined sanitizers
	@FEW_CASES=1 tests/elsewhere $(MAKE) -s check CFLAGS="$(SANITIZE)" \
		HARDENING= LINK_HARDENING=

check-valgrind:		## unit tests and one test of each kind in valgrind
	@tools/need valgrind "$(CC)"
	@$(MAKE) all $(UNIT)
	@tests/check-valgrind $(UNIT)

coverage:		## the share of lines that all but slow tests run
	@tools/need coverage "$(CC)"
	@FEW_CASES=1 THEN=tests/coverage BATS_OPTIONS="--filter-tags !slow" \
		tests/elsewhere $(MAKE) -s check \
		CFLAGS="-Og -g --coverage -DXXH_NO_INLINE_HINTS=1" \
		HARDENING= LINK_HARDENING=

# As tests/check-cross knows them.
MACHINES = s390x arm64 i386 posix musl

check-cross: .zlib all	## core tests for arm64, i386, s390x, musl, not Linux
	@tools/need cross
	@echo $(MACHINES) | ZLIB="$$PWD/.zlib" NATIVE="$$PWD/bloomtool" \
		UNITS="$(UNIT)" xargs -n 1 -P "$$(getconf _NPROCESSORS_ONLN)" \
		tests/elsewhere tests/check-cross

.zlib:
	@tools/zlib-for .zlib arm64 i386 s390x

check-install: all	## install to a folder, run it, uninstall
	@tests/check-install "$(MAKE)"

dist:			## bloomtool-VERSION.tar.gz of what is committed
	@tools/dist

deb:			## a package for Debian, of what is committed
	@tools/need deb "$(CC)"
	@tools/deb

check-packages: static	## what dist, deb and static make
	@tools/need deb "$(CC)"
	@tests/check-packages

lint:			## static analysis of code, scripts and man pages
	@tools/need lint "$(CC)"
	@tools/lint

bench/limit: bench/limit.c simd.h
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -I. -o $@ bench/limit.c

bench/spend: bench/spend.c
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -o $@ bench/spend.c

bench/libbloom: bench/libbloom.c
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(LDFLAGS) -o $@ bench/libbloom.c \
		-lbloom -lm

bench:			## measure: as Markdown; BENCH="--large --charts DIR"
	@tools/need bench "$(CC)"
	@$(MAKE) all bench/limit bench/spend bench/libbloom
	@bench/run $(BENCH)

pictures: all		## draw those of README anew
	@bench/pictures

bench-check:		## instructions a key: not more than were recorded
	@tools/need bench-check "$(CC)"
	@$(MAKE) all
	@bench/check --compiler "$(CC)"

completions: all	## make completions/ anew, of what --help lists
	tools/completions

install: all		## to $(DESTDIR)$(PREFIX)
	umask 022 && mkdir -p "$(DESTDIR)$(BINDIR)" \
		"$(DESTDIR)$(MANDIR)/man1" "$(DESTDIR)$(MANDIR)/man5" \
		"$(DESTDIR)$(BASHDIR)" "$(DESTDIR)$(ZSHDIR)" \
		"$(DESTDIR)$(FISHDIR)"
	install -m 755 bloomtool "$(DESTDIR)$(BINDIR)/bloomtool"
	install -m 644 man/bloomtool.1 "$(DESTDIR)$(MANDIR)/man1/bloomtool.1"
	install -m 644 man/bloomtool.5 "$(DESTDIR)$(MANDIR)/man5/bloomtool.5"
	install -m 644 completions/bloomtool.bash \
		"$(DESTDIR)$(BASHDIR)/bloomtool"
	install -m 644 completions/_bloomtool "$(DESTDIR)$(ZSHDIR)/_bloomtool"
	install -m 644 completions/bloomtool.fish \
		"$(DESTDIR)$(FISHDIR)/bloomtool.fish"

uninstall:		## remove what install put there
	rm -f "$(DESTDIR)$(BINDIR)/bloomtool" \
		"$(DESTDIR)$(MANDIR)/man1/bloomtool.1" \
		"$(DESTDIR)$(MANDIR)/man5/bloomtool.5" \
		"$(DESTDIR)$(BASHDIR)/bloomtool" \
		"$(DESTDIR)$(ZSHDIR)/_bloomtool" \
		"$(DESTDIR)$(FISHDIR)/bloomtool.fish"

clean:			## remove what was built
	rm -f bloomtool bloomtool-static bloomtool-*.tar.gz bloomtool_*.deb \
		*.o *.d *.gc?? foreign/*.o foreign/*.d foreign/*.gc?? \
		tests/unit/*.gc?? $(UNIT) \
		bench/limit bench/spend bench/libbloom \
		.compiler .needs-met .hardening-*

help:			## this list
	@awk -F '##' '/^[a-z-]+:.*##/ { split($$1, t, ":"); \
		printf "  make %-14s %s\n", t[1], $$2 }' Makefile

-include $(OBJ:.o=.d)
