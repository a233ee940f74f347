# Several processes on one filter: writers, readers, holders of locks.

# "run --separate-stderr" sets stderr.
# shellcheck disable=SC2154
load rig

@test "4 processes x 250,000 keys set the bits of one, count exactly (case 25)" {
	drive sharing same_bits
}

@test "2, 4 and 8 add -v of the same 10^6 keys print each exactly once" {
	drive sharing once
}

@test "4 add -v into pipes read slowly print each key exactly once" {
	drive sharing once_slowly
}

@test "4 add -v in lockstep print each key exactly once" {
	need_wchan
	drive sharing lockstep
}

# GROWTH_ROUNDS=100 for more.
@test "8 adders grow a filter from 1 key, readers miss no acknowledged key" {
	drive sharing growing
}

@test "4 add -v of the same keys print each exactly once as they grow it" {
	drive sharing growing_once
}

@test "readers beside writers miss no acknowledged key in 10 seconds" {
	drive sharing readers
}

# grow_during CALL COMMAND...: let it, on f.bf, sleep before that system call
# while an add puts layers on top.
grow_during() {
	need_strace
	bloomtool create -q -n 10 --grow -p 1e-9 f.bf
	seq 10 | bloomtool add --no-sync f.bf	# so locks are asked for
	seq 100 > keys
	: > trace
	timeout 20 strace -o trace -P "$PWD/f.bf" \
		-e "inject=$1:delay_enter=500000:when=1" \
		"${@:2}" > out 2> err 3>&- &
	until [ -s trace ]; do :; done
	bloomtool add f.bf keys
	status=0
	wait $! || status=$?
	is "$(cat err)" ""
	is "$status" 0
	has "$(cat trace)" "(DELAYED)"
}

@test "a filter that grows while it is opened can be opened" {
	grow_during pread64 bloomtool check -c f.bf keys
	is "$(cat out)" 100
}

@test "a filter that grows while stats counts its bits lacks none" {
	grow_during fcntl bloomtool stats --verify f.bf
	has "$(cat out)" "keys added    100"
}

# Add gives its presence lock back, and tries to get it alone.
@test "a recover between the last two steps of an add is no loss" {
	local n
	need_strace
	bloomtool create -q -n 10 f.bf
	strace -o trace -P "$PWD/f.bf" bloomtool add f.bf <<< a
	n=$(grep -c '^fcntl' trace)
	: > trace
	timeout 20 strace -o trace -P "$PWD/f.bf" \
		-e "inject=fcntl:delay_enter=500000:when=$n" \
		bloomtool add f.bf <<< b 2> err 3>&- &
	until [ "$(grep -c '^fcntl' trace)" -ge $((n - 1)) ]; do :; done
	timeout 20 bloomtool recover -q --accept f.bf
	status=0
	wait $! || status=$?
	is "$(cat err)" ""
	is "$status" 0
	has "$(cat trace)" "(DELAYED)"
	is "$(printf 'a\nb\n' | bloomtool check -c f.bf)" 2
	is "$(field f.bf state)" clean
}

# The inner add needs the batch lock while the outer one waits for the loop to
# read on: with 60,000 lines, the pipe between them is full most of the time.
@test "a crawler's loop with add -v at both ends comes to its end" {
	local n
	bloomtool create -q -n 1e6 -p 1e-9 f.bf
	cat > crawl <<-'CRAWL'
		seq 60000 | bloomtool add -v f.bf | while read -r url; do
			n=$((n + 1))
			echo "$url"
			if [ "$n" -lt 100 ] || [ $((n % 1000)) = 0 ]; then
				printf '%s\n' "$url/a" "$url/b" |
					bloomtool add -v f.bf
			fi
		done > printed
		[ "${PIPESTATUS[*]}" = '0 0 0' ]
	CRAWL
	run -0 --separate-stderr timeout 30 bash crawl
	is "$stderr" ""
	n=$((60000 + 2 * (99 + 60)))
	is "$(wc -l < printed)" $n
	is "$(sort printed | uniq -d)" ""
	is "$(bloomtool check -v -c f.bf < printed)" 0
	is "$(field f.bf state)" clean
	echo "# $n lines, each exactly once" >&3
}

@test "a holder that was stopped makes --wait 1 give up after a second" {
	drive sharing stopped_holder
}

@test "who waits for a lock gets on when its holder is killed" {
	drive sharing killed_holder
}

@test "add -v before a stopped terminal holds no other add up" {
	drive sharing stopped_terminal
}

@test "flock around add does not wait for itself" {
	need flock
	bloomtool create -q -n 1e4 f.bf
	seq 100 > keys
	timeout 10 flock f.bf bloomtool add f.bf keys
	is "$(timeout 10 flock f.bf bloomtool add -v f.bf keys)" ""
	timeout 10 flock -s f.bf bloomtool check -q f.bf keys
	timeout 10 flock f.bf bloomtool recover -q f.bf keys
}

@test "of two that close at once, 500 times, the last marks it clean" {
	need_wchan
	drive sharing closers
}

@test "an add that was given nothing and goes last marks it clean" {
	need_wchan
	drive sharing idle_closer
}
