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

@test "the transcripts in docs/COOKBOOK.md are what happens" {
	fake_redis
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
