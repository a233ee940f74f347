#!/usr/bin/env bats
# How far long work is: the line on a terminal, SIGUSR1, --progress.
# shellcheck disable=SC2154	# stderr: run sets it
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	bloomtool create -q -n 1000 f.bf
}

# on_terminal STEP... -- COMMAND...: see progress.py.  What was written is then
# in $said, and the lines as they look in $output.
on_terminal() {
	run "$BATS_TEST_DIRNAME/progress.py" "$@"
	said=${lines[0]}
	output=$(tail -n +2 <<< "$output")
}

# What add draws of two keys.
ADD='add: 4 bytes in 0:00:0[0-9]; 2 keys, [0-9.]+k?/s; 0 % full'

@test "a line comes after a second, again and again, and is erased" {
	SECONDS=0
	on_terminal 'in=a\nb\n' 'sees=add: ' 'sees=add: ' -- bloomtool add f.bf
	is "$status" 0
	((SECONDS >= 1))
	[[ $said =~ ^\'(\\r$ADD\ *)+(\\radd:\ syncing\ *)?\\r\ +\\r\'$ ]]
	is "$output" ""
	is "$(field f.bf keys_added)" 2
}

@test "it says percent and time left where all inputs are regular files" {
	seq 2000000 > one
	seq 2000000 3000000 > two
	# On a busy machine it may be through before anybody looks.
	for _ in 1 2 3 4 5; do
		on_terminal hold=one -- bloomtool check -j1 -c f.bf one two
		[[ $said == "in vain: hold"* ]] || break
	done
	line='check: [0-9.]+ ([KM]iB|bytes) of 21\.8 MiB, [0-9]+ %'
	line+='(, [0-9]:[0-9]+:[0-9]+ left; [0-9.]+[kM]? keys, [0-9.]+[kM]?/s)?'
	[[ $said =~ ^\'(\\r$line\ *)+\\r\ +\\r[0-9]+ ]]
	[[ $output =~ ^[0-9]+$ ]]
}

@test "a regular file on the standard input counts from where it is read" {
	seq 100000 > keys
	bloomtool create -q --force -n 1e6 f.bf
	{
		dd bs=288890 count=1 status=none > /dev/null
		bloomtool add -q --progress f.bf -
	} < keys 2> said
	[[ $(cat said) == "add: 293 KiB in "* ]]
}

@test "what is done shortly draws nothing" {
	seq 100 > keys
	on_terminal -- bloomtool add f.bf keys
	is "$said" "''"
	on_terminal -- bloomtool stats --check --verify f.bf
	is "$said" "''"
}

@test "what wraps is not drawn" {
	on_terminal columns=40 'in=a\nb\n' 'sees=keys' -- bloomtool add f.bf
	[[ $said == *"\radd: 4 bytes in 0:00:01; 2 keys, "*.*"/s"* ]]
	[[ $said != *full* ]]
	is "$output" ""
	on_terminal columns=20 'in=a\nb\n' 'sees=add' -- bloomtool add f.bf
	[[ ${said//add: syncing/} != *";"* ]]
	[[ $said == *"\radd: 4 bytes in 0:0\r"* ]]
	on_terminal columns=1 'in=a\nb\n' sleep=1.3 -- bloomtool add f.bf
	[[ $said != *add* ]]
}

@test "a terminal that is made narrower gets a line that fits" {
	on_terminal 'in=a\nb\n' 'sees=full' columns=30 mark 'in=c\n' \
	    'sees=c?add' sleep=0.1 -- bloomtool add f.bf
	after=${said#*|}
	[[ $after == "\radd: 6 bytes in 0:00:0"* ]]
	[[ $after != *keys* ]]
	while read -r part; do
		((${#part} < 30))
	done <<< "${after//\\r/$'\n'}"
}

@test "in the background nothing is drawn, in the foreground again" {
	on_terminal background 'in=a\nb\n' sleep=1.4 mark foreground \
	    'in=c\n' 'sees=add' mark background 'in=d\n' sleep=1.2 mark \
	    -- bloomtool add f.bf
	[[ $said =~ ^"'|\radd: 6 bytes"[^\|]*"||'"$ ]]
	is "$(field f.bf keys_added)" 4
}

@test "stopped and continued, in the background and in the foreground" {
	on_terminal 'in=a\nb\n' sees=full mark 'type=\x1a' stopped background \
	    signal=CONT 'in=c\n' sleep=1.2 mark foreground signal=CONT \
	    'in=d\n' 'sees=8 bytes' -- bloomtool add f.bf
	is "$status" 0
	[[ $said =~ ^[^\|]*"|^Z|"("\r"*add: .*8\ bytes) ]]
	is "$(field f.bf keys_added)" 4
}

@test "a terminal that was stopped (^S) does not stop the work" {
	on_terminal 'in=a\nb\n' sees=add 'type=\x13' sleep=0.1 'in=c\n' \
	    signal=USR1 sleep=0.6 mark -- bloomtool add f.bf
	is "$status" 0
	[[ $said == *"|'" ]]
	is "$(field f.bf keys_added)" 3
}

@test "lines on the same terminal are not mixed with it" {
	bloomtool add f.bf <<< $'a\nb\nc'
	on_terminal 'in=a\n' sees=check 'in=b\nx\n' sees=b sees=check 'in=c\n' \
	    -- bloomtool check f.bf
	is "$output" $'a\nb\nc'
	on_terminal 'in=k\n' sees=add 'in=l\n' sees=l sees=add 'in=m\nm\n' \
	    -- bloomtool add -v f.bf
	is "$output" $'k\nl\nm'
}

@test "it is not drawn behind half a line" {
	on_terminal 'in=a\nb\0c\0' sees=b.c sleep=1.3 signal=USR1 sees=keys \
	    -- bloomtool add -v -z f.bf
	[[ $said =~ ^"'a\r\nb\x00c\x00\r\nadd: "[^\\]*"\r\n'"$ ]]
}

@test "warnings are not mixed with it" {
	on_terminal 'in=a\nb\n' sees=add -- bloomtool add f.bf - none
	is "$output" "bloomtool: none: No such file or directory"
	is "$status" 2
	on_terminal 'in=a\nb\n' sees=check -- \
	    bloomtool check -c -k2 f.bf
	is "$output" $'bloomtool: (standard input): no field 2 in 2 lines, whose key is empty\n0'
}

@test "a line that a signal asks for stays, and the other one moves on" {
	on_terminal 'in=a\nb\n' sees=add signal=USR1 'sees=\n' sees=add \
	    -- bloomtool add f.bf
	[[ $output =~ ^$ADD$ ]]
}

@test "nothing is left of it when a signal kills" {
	on_terminal 'in=a\nb\n' sees=check 'type=\x03' -- bloomtool check f.bf
	is "$status" 130
	[[ $output =~ ^\ *"^C"$ ]]	# as the terminal has it
	on_terminal 'in=a\nb\n' sees=check signal=TERM -- bloomtool check f.bf
	is "$status" 143
	is "$output" ""
	on_terminal 'in=a\nb\n' sees=add signal=TERM -- bloomtool add f.bf
	is "$status" 143
	is "$output" ""
	is "$(field f.bf state)" clean
}

@test "somebody who types keys is left alone" {
	on_terminal 'sees=reading.*\n' 'type=a\n' sleep=1.4 mark 'type=\x04' -- \
	    bash -c 'exec bloomtool add f.bf < /dev/tty'
	[[ $said == *"a\r\n|'" ]]
	is "$(field f.bf keys_added)" 1
}

@test "where lines go into a pipe it is drawn only with --progress" {
	on_terminal 'in=a\nb\n' sleep=1.4 -- \
	    bash -c 'bloomtool check -v f.bf | cat'
	is "$output" $'a\nb'
	on_terminal 'in=a\nb\n' sleep=1.4 -- \
	    bash -c 'bloomtool add -v f.bf | cat > out'
	is "$said" "''"
	on_terminal 'in=c\nd\n' 'sees=add' -- \
	    bash -c 'bloomtool add -v --progress f.bf | cat > out'
	is "$output" ""
	on_terminal 'in=e\nf\n' 'sees=check' -- \
	    bash -c 'bloomtool check -c f.bf | cat > out'
	is "$output" ""
	on_terminal 'in=e\nf\n' 'sees=check' -- \
	    bash -c 'exec bloomtool check -v f.bf > out'
	is "$output" ""
}

@test "all commands but estimate take --progress and --no-progress" {
	for command in create add check stats union intersect import export \
	    recover; do
		help=$(bloomtool $command --help)
		has "$help" "      --progress "
		has "$help" "      --no-progress "
		for option in --progress --no-progress; do
			is "$(bloomtool $command $option --help)" "$help"
		done
		run -2 --separate-stderr bloomtool $command --progress=1
		has "$stderr" "--progress takes no value"
		for letter in '!' '"'; do
			run -2 --separate-stderr bloomtool $command "-$letter"
			has "$stderr" "did you mean -h (--help)?"
		done
	done
	run -2 --separate-stderr bloomtool estimate --progress
	has "$stderr" "unknown option --progress"
}

@test "--no-progress draws nothing, the last one of both counts" {
	on_terminal 'in=a\nb\n' sleep=1.4 -- bloomtool add --no-progress f.bf
	is "$said" "''"
	on_terminal 'in=a\nb\n' sleep=1.4 -- \
	    bloomtool add --progress --no-progress f.bf
	is "$said" "''"
	on_terminal 'in=a\nb\n' sees=add -- \
	    bloomtool add --no-progress --progress f.bf
	is "$output" ""
}

@test "--progress in a log is a line now and then, and one at the end" {
	bloomtool add --progress f.bf <<< $'a\nb' 2> said
	[[ $(cat said) =~ ^$ADD$ ]]
}

# bats test_tags=slow
@test "--progress in a log says nothing twice" {
	{ echo a; sleep 5.5; echo b; sleep 11; } |
	    bloomtool add --progress f.bf 2> said
	is "$(wc -l < said)" 3
	[[ $(sed -n 1p said) == "add: 2 bytes in 0:00:05; 1 key, "* ]]
	[[ $(sed -n 2p said) == "add: 4 bytes in 0:00:1"* ]]
	[[ $(sed -n 3p said) == "add: 4 bytes in 0:00:1"* ]]
}

# asks: SIGUSR1 to $pid, which waits for a pipe; its lines in "said" are one
# more then.
asks() {
	before=$(wc -l < said)
	kill -USR1 "$pid"
	soon more_lines
}

more_lines() {
	(($(wc -l < said) == before + 1))
}

answers() {
	kill -USR1 "$pid"
	[ -s said ]
}

is_in_use() {
	echo a >&4
	[ "$(field f.bf state)" = "in use" ]
}

has_keys() {
	(($(field f.bf keys_added) == $1))
}

@test "SIGUSR1 gets a line at once while it waits for input, and no key is lost" {
	mkfifo keys
	for option in -- --no-progress -v; do
		rm f.bf
		bloomtool create -q -n 1000 f.bf
		bloomtool add $option f.bf < keys > out 2> said &
		pid=$!
		exec 4> keys
		printf 'a\nb\nhal' >&4
		soon has_keys 2
		for _ in 1 2 3; do
			asks
		done
		echo f >&4
		exec 4>&-
		wait $pid
		[[ $(cat said) =~ ^("add: 4 bytes in 0:00:0"[0-9]"; 2 keys"[^$'\n']*"; 0 % full"$'\n'?){3}$ ]]
		is "$(field f.bf keys_added)" 3
		is "$(printf 'a\nb\nhalf\n' | bloomtool check -c f.bf)" 3
	done
	is "$(cat out)" $'a\nb\nhalf'
}

@test "a pipe that nobody reads any more does not end the work" {
	mkfifo keys said
	bloomtool add --progress f.bf < keys 2> said &
	pid=$!
	exec 4> keys 5< said 5<&-
	echo a >&4
	soon has_keys 1
	kill -USR1 $pid
	echo b >&4
	soon has_keys 2
	exec 4>&-
	wait $pid
}

@test "SIGUSR1 gets a line at once while it waits for who reads its output" {
	seq 1000000 > keys
	mkfifo out
	for command in 'check -v' 'add -v' 'check -v -j2'; do
		# shellcheck disable=SC2086	# a command and its options
		bloomtool $command f.bf keys > out 2> said &
		pid=$!
		exec 5< out
		read -r first <&5
		is "$first" 1
		for _ in 1 2; do
			asks
		done
		kill -STOP $pid
		cat <&5 > rest &
		kill -CONT $pid
		wait $pid
		wait $!
		exec 5<&-
		line="^${command%% *}: [0-9.]+ [KM]iB of 6\.57 MiB, [0-9]+ %, "
		[[ $(head -n 1 said) =~ $line ]]
		is "$(tail -n 1 rest)" 1000000
		bloomtool create -q --force -n 2e6 f.bf
	done
}

@test "SIGUSR1 gets a line while it waits for a lock" {
	mkfifo keys
	bloomtool add f.bf < keys &
	exec 4> keys
	soon is_in_use
	trap '' USR1		# until it has a handler
	bloomtool recover --accept f.bf 2> said 4>&- &
	pid=$!
	trap - USR1
	soon answers
	exec 4>&-
	wait $pid
	[[ $(head -n 1 said) == "recover: 0 bytes in 0:00:0"* ]]
}

@test "SIGUSR1 ends nothing before the work begins" {
	mkfifo list
	bloomtool check -F list -c /dev/null > out 2> said &
	pid=$!
	exec 4> list		# it has opened it too
	kill -USR1 $pid
	kill -USR1 $pid
	echo f.bf >&4
	exec 4>&-
	wait $pid || [ $? = 1 ]
	is "$(cat out)" 0
}

@test "recover, import --verify and stats tell how far they are, too" {
	seq 1000 | bloomtool add -q f.bf
	seq 1000 > keys
	bloomtool stats --progress --verify f.bf 2> said > /dev/null
	[[ $(cat said) == "stats: "*" KiB in "* ]]
	bloomtool recover --progress -q f.bf < keys 2> said
	[[ $(cat said) == "recover: 3.80 KiB in "*"; 1.00k keys"* ]]
	bloomtool create -q -n 1000 --scheme guava g.bf
	bloomtool add -q g.bf keys
	bloomtool export --progress --to guava g.bf g.bloom 2> said
	[[ $(cat said) == "export: "* ]]
	bloomtool import --progress -q --verify keys g.bloom h.bf 2> said
	[[ $(cat said) == "import: "* ]]
	on_terminal 'in=1\n' sees='import: verifying' 'in=2\n' -- \
	    bloomtool import -q --verify - g.bloom i.bf
	is "$status" 0
	is "$output" ""
}

@test "create says how far it is where it has to write zeros" {
	! sanitized || skip "leaks cannot be looked for under strace"
	command -v strace > /dev/null || skip "no strace here"
	strace -o trace true 2> /dev/null || skip "strace may not trace here"
	on_terminal 'sees=create: ' mark -- strace -D -q -o trace \
	    -e trace=fallocate,pwrite64 \
	    -e inject=fallocate:error=EOPNOTSUPP \
	    -e inject=pwrite64:delay_enter=20000 \
	    bloomtool create -q -s 100MiB big.bf
	[[ $said == *"create: reserving space, "*" MiB of 100 MiB, "*" left; "* ]]
	is "$output" ""
	is "$status" 0
}
