# The recipes of docs/COOKBOOK.md, and what it says about them.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper

# The scripts of "A window of days", with filters that are small.
window() {
	scripts docs/COOKBOOK.md
	bloomtool create -q -n 1000 -p 1e-9 empty.bf
	mkdir days
}

# ask WORD [DAY]: what unseen prints about it.
ask() {
	echo "$1" | ./unseen "${@:2}"
}

# A redis-cli that has one filter of RedisBloom, the key "seen", in two pieces, and
# takes any commands.
fake_redis() {
	mkdir bin
	cat > bin/redis-cli <<- END
		#!/bin/bash
		case "\$*" in
		"BF.SCANDUMP seen 0") echo 1; cat "$ROOT/tests/interop/default.header" ;;
		"BF.SCANDUMP seen 1") echo 145; cat "$ROOT/tests/interop/default.bits" ;;
		"BF.SCANDUMP seen 145") echo 0 ;;
		BF.SCANDUMP*) echo "ERR not found" ;;
		--pipe)
			echo "All data transferred. Waiting for the last reply..."
			echo "Last reply received from server."
			echo "errors: 0, replies: \$(tee "$PWD/piped" |
				grep -acE '^(DEL|BF\.LOADCHUNK|SETRANGE).\$')"
			exit ;;
		RENAME*) echo "\${RENAMED-OK}"; exit ;;
		esac
		echo
	END
	chmod +x bin/redis-cli
	PATH=$PWD/bin:$PATH
}

# Two sites, for lynx, and two feeds, for curl and sfeed.
fake_web() {
	mkdir -p bin
	cat > bin/lynx <<- "END"
		#!/bin/sh
		for page; do :; done
		case $page in
		https://a.example/)
			printf '\n   https://a.example/news\n   https://b.example/\n' ;;
		https://a.example/news) printf '   https://a.example/#top\n' ;;
		https://b.example/) printf '   https://b.example/about\n' ;;
		*) exit 1 ;;
		esac
	END
	cat > bin/curl <<- "END"
		#!/bin/sh
		for feed; do :; done
		case $feed in
		https://a.example/feed)
			printf '17\tHello\thttps://a.example/hello\ttext\n'
			printf '18\tMoved\thttps://a.example/moved\ttext\n'
			printf '19\tAgain\thttps://a.example/hello\ttext\n' ;;
		*) exit 22 ;;
		esac
	END
	printf '#!/bin/sh\nexec cat\n' > bin/sfeed
	chmod +x bin/*
	PATH=$PWD/bin:$PATH
}

@test "the transcripts in docs/COOKBOOK.md are what happens" {
	fake_redis
	fake_web
	transcript docs/COOKBOOK.md
}

@test "scandump and load fail if Redis or bloomtool does" {
	fake_redis
	scripts docs/COOKBOOK.md
	run -1 --separate-stderr ./scandump missing
	is "$output" ""
	has "$stderr" "ERR not found"
	bloomtool create -q --scheme redisbloom -n 100 seen.bf
	./load seen.bf redisbloom seen
	grep -q seen.new piped
	RENAMED="ERR no such key" run -1 ./load seen.bf redisbloom seen
	run -2 ./load missing.bf redisbloom seen
	# a server that ends in the midst of it
	printf '#!/bin/sh\nexit 1\n' > bin/redis-cli
	run -1 ./scandump seen
	run ! ./load seen.bf redisbloom seen
}

@test "a window of 30 days ends with the 30th" {
	window
	is "$(ask a 2024-02-01)" a
	is "$(ask a 2024-02-01)" ""
	is "$(ask a 2024-03-01)" ""	# the 30th day, in a leap year
	is "$(ask a 2024-03-02)" a
	is "$(ask b 2024-01-31)" b
	is "$(ask b 2024-03-01)" b	# the 31st
	is "$(ask a 2024-01-31)" a	# later days do not count
}

@test "each day is one of UTC, and without data it is no matter" {
	window
	before=$(date -u +%F)
	for zone in Pacific/Kiritimati America/New_York; do
		TZ=$zone ./unseen < /dev/null
	done
	for day in days/*; do
		[ "$day" = "days/$before.bf" ] ||
			is "$day" "days/$(date -u +%F).bf"
	done
	run -0 ask a
	is "$output" a
	run -0 ask a
	is "$output" ""
}

@test "forget leaves the days that a run from before midnight looks into" {
	window
	touch days/2026-10-0{1,2,3}.bf days/2026-10-31.bf days/other.bf
	./forget 2026-11-01
	is "$(echo days/*)" "days/2026-10-02.bf days/2026-10-03.bf\
 days/2026-10-31.bf days/other.bf"
	# and without any
	rm -r days
	mkdir days
	run -0 ./forget
	is "$output" ""
}

@test "a run over midnight, and one whose oldest day is deleted, go on" {
	window
	ask old 2026-10-02 > /dev/null
	mkfifo lines
	timeout 60 ./unseen 2026-10-31 < lines > late 3>&- &
	exec 9> lines
	printf '%s\n' first >&9
	soon [ -s late ]
	./forget 2026-11-02
	[ ! -e days/2026-10-02.bf ]
	is "$(ask new 2026-11-01)" new
	printf '%s\n' old second >&9
	exec 9>&-
	wait $!
	is "$(cat late)" $'first\nsecond'
	is "$(ask second 2026-11-01)" ""
}

@test "a run that fails loses no line" {
	window
	ask a 2026-10-01 > /dev/null
	cp days/2026-10-01.bf whole
	truncate -s -64 days/2026-10-01.bf
	run ! --separate-stderr ask b 2026-10-02
	is "$output" ""
	has "$stderr" "days/2026-10-01.bf: wrong size"
	cp whole days/2026-10-01.bf
	is "$(ask b 2026-10-02)" b
}

@test "a reader keeps its filter when another takes the name" {
	bloomtool create -q -n 1000 -p 1e-9 block.bf
	echo old | bloomtool add block.bf
	mkfifo lines
	timeout 60 bloomtool check block.bf < lines > got 3>&- &
	exec 9> lines
	echo old >&9
	soon [ -s got ]
	bloomtool create -q -L block.bf block.bf.new
	echo new | bloomtool add block.bf.new
	mv block.bf.new block.bf
	printf '%s\n' new old >&9
	exec 9>&-
	wait $!
	is "$(cat got)" $'old\nold'
	is "$(printf '%s\n' new old | bloomtool check block.bf)" new
}

@test "the table of what to ask for is what estimate says" {
	while IFS='|' read -r _ rate bits size _; do
		rate=${rate//[ \`]/}
		bloomtool estimate -n 1e9 -p "$rate" > answer
		is " $(awk '/^size/ { print $2, $3 }' answer) " "$size"
		is "$(awk '/^bits a key/ { printf "%.1f", $4 }' answer)" \
			"${bits// /}"
		echo "$rate" >> rates
	done < <(grep "^| .-p. " -A 9 "$ROOT/docs/COOKBOOK.md" |
		grep '^| [0-9]')
	is "$(wc -l < rates)" 4
}

@test "each recipe is in the list at the top, in the same order" {
	local page=$ROOT/docs/COOKBOOK.md
	sed -n 's/^- \[\(.*\)\](#.*/\1/p' "$page" > listed
	sed -n 's/^## //p' "$page" | grep -vx "What to ask for" > recipes
	diff -u recipes listed
	# and the links lead there
	sed 's/.*/\L&/; s/[^a-z0-9 -]//g; s/ /-/g' recipes | sort > anchors
	grep -oE '\(#[a-z0-9-]+\)' "$page" | tr -d '(#)' | sort -u |
		diff -u anchors -
}

@test "a crawl that is killed or fails loses no link" {
	fake_web
	scripts docs/COOKBOOK.md
	bloomtool create -q -n 1000 -p 1e-9 crawl.bf
	# killed when the first page was read, before the frontier was replaced
	printf '%s\n' https://a.example/ https://b.example/ |
		bloomtool add -v crawl.bf > frontier
	echo https://a.example/news | bloomtool add -v crawl.bf > next
	./crawl
	is "$(sort frontier)" $'https://a.example/news\nhttps://b.example/about'
	# a filter that cannot be written to
	truncate -s -64 crawl.bf
	cp frontier before
	run ! ./crawl
	cmp before frontier
}

@test "of four readers of feeds that run at once, one prints an item" {
	fake_web
	scripts docs/COOKBOOK.md
	seq 2000 | sed 's|.*|1\titem\thttps://a.example/&|' > items
	cat > bin/curl <<- END
		#!/bin/sh
		cat "$PWD/items"
	END
	echo https://a.example/feed > feeds
	for i in 1 2 3 4; do
		./news > "mail$i" 3>&- &
	done
	wait
	cut -f 2 mail? | sort > printed
	cut -f 3 items | sort | diff - printed
}

@test "a feed that fails is named, and the others are read" {
	fake_web
	scripts docs/COOKBOOK.md
	printf 'https://%s.example/feed\n' b a > feeds
	run -0 --separate-stderr ./news
	is "${#lines[@]}" 2
	is "$stderr" "https://b.example/feed: failed"
}

@test "the clients of a real log, and its agents, are those that awk finds" {
	shared_data
	bloomtool add -q -v -k 1 -C -n 1e6 -p 1e-6 clients.bf \
		"$DATA/access.log" > first
	awk '!seen[$1]++' "$DATA/access.log" | cmp - first
	bloomtool add -q -v -t '"' -k 6 -C -n 1e6 -p 1e-6 agents.bf \
		"$DATA/access.log" > first
	awk -F '"' '!seen[$6]++' "$DATA/access.log" | cmp - first
}

@test "dedup leaves nothing behind, also if it fails" {
	scripts docs/COOKBOOK.md
	export TMPDIR=$PWD/tmp
	mkdir tmp
	seq 3000 | tac > words
	is "$(cat words words | ./dedup 10000 - | cksum)" "$(cksum < words)"
	run ! ./dedup 10000 missing
	run ! ./dedup none words
	is "$(ls tmp)" ""
}

@test "a line that is known while a stream runs is no longer shown" {
	bloomtool create -q -n 1000 -p 1e-9 quiet.bf
	echo 'Nov 30 02:00:01 db cron: backup' > log
	tail -f -n +1 log 3>&- | timeout 60 bloomtool check -v -b 17- quiet.bf \
		> shown 3>&- &
	soon [ -s shown ]
	bloomtool add -b 17- quiet.bf log
	echo 'Dec  1 02:00:01 db cron: backup' >> log
	echo 'Dec  1 02:00:02 db su: oops' >> log
	soon grep -q oops shown
	kill %1
	is "$(cat shown)" $'Nov 30 02:00:01 db cron: backup\nDec  1 02:00:02 db su: oops'
}

@test "leaked says 2 if it cannot tell" {
	scripts docs/COOKBOOK.md
	run -2 ./leaked <<< password
	bloomtool create -q -n 1000 -p 1e-9 leaked.bf
	run -1 ./leaked <<< password
	mkdir none
	ln -s "$(command -v bloomtool)" "$(command -v bash)" none
	run -2 env PATH="$PWD/none" bash ./leaked <<< password
	# the list as it comes from Windows
	printf '5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:3\r\n' |
		bloomtool add -i -t: -k1 leaked.bf
	run -0 ./leaked <<< password
	run -0 ./leaked < <(printf password)
}

@test "unknown files have names of any kind with -z" {
	mkdir disk
	echo known > disk/$'new\nline'
	echo new > 'disk/back\slash'
	bloomtool create -q -n 1000 -p 1e-9 nsrl.bf
	sha1sum < disk/$'new\nline' | bloomtool add -k 1 nsrl.bf
	is "$(find disk -type f -exec sha1sum {} + |
		bloomtool check -v -c -k 1 -i nsrl.bf)" 2
	find disk -type f -exec sha1sum -z {} + |
		bloomtool check -v -z -k 1 -i nsrl.bf | tr '\0' '\n' > unknown
	is "$(cut -d ' ' -f 3 unknown)" 'disk/back\slash'
}

@test "shared prints what comm does, and nothing if nothing is shared" {
	scripts docs/COOKBOOK.md
	export LC_ALL=C
	seq 1 2 20000 > A
	seq 1 3 20000 > B
	./shared 10000 A B > got
	comm -12 <(sort A) <(sort B) | cmp - got
	seq 2 2 2000 > B
	run -0 ./shared 10000 A B
	is "$output" ""
	run ! ./shared 10000 A missing
	is "$(ls -d tmp* 2> /dev/null)" ""
}

@test "lookup asks for what is wrongly in once, and notes nothing on failure" {
	scripts docs/COOKBOOK.md
	seq 100 | sed 's/.*/& v&/; y/ /\t/' | LC_ALL=C sort > table
	bloomtool create -q -n 100 -p 0.5 -S 1 keys.bf
	cut -f 1 table | bloomtool add keys.bf
	cat > db <<- "END"
		#!/bin/sh
		tee asked | LC_ALL=C join -t '	' - table
	END
	chmod +x db
	seq 51 250 > wanted
	run ! ./lookup false < wanted
	is "$(cat wrong)" ""
	./lookup ./db < wanted > found
	is "$(wc -l < found)" 50
	(($(wc -l < asked) > 50))
	is "$(wc -l < wrong)" $(($(wc -l < asked) - 50))
	./lookup ./db < wanted | cmp - found
	is "$(wc -l < asked)" 50
}
