# bloomtool check with several filters: any, all, which.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper

# Filters for the comparison with query.py: one to three blocks a key, with one
# seed and with others.
setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	cd "$FILES" || return
	python3 "$BATS_TEST_DIRNAME/query.py"
	bloomtool create -q -n 9000 -p 1e-9 --seed 5 0.bf
	bloomtool create -q -n 90000 -p 1e-4 --seed 6 1.bf
	bloomtool create -q -n 9000 -p 1e-6 --seed 5 2.bf
	bloomtool create -q -n 9000 -p 1e-9 --seed 7 3.bf
	bloomtool create -q -n 90000 -p 1e-4 --seed 5 4.bf
	for i in 0 1 2 3 4; do
		bloomtool add "$i.bf" "keys$i"
	done
	is "$(field 0.bf blocks_per_key) $(field 1.bf blocks_per_key)" "3 1"
	is "$(field 2.bf blocks_per_key)" 2
}

# a.bf has 1 to 5, b.bf 4 to 8, c.bf 5 and 9.
setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	bloomtool create -q -n 100 -p 1e-9 a.bf
	cp a.bf b.bf
	bloomtool create -q -n 100 -p 1e-6 c.bf
	seq 5 | bloomtool add a.bf
	seq 4 8 | bloomtool add b.bf
	printf '5\n9\n' | bloomtool add c.bf
	seq 10 > lines
}

# wrong WORDS ARGUMENT...: two lines on stderr, these words and the usage.
wrong() {
	run -2 --separate-stderr bloomtool check "${@:2}"
	is "$output" ""
	is "${#stderr_lines[@]}" 2
	has "${stderr_lines[0]}" "$1"
	has "${stderr_lines[1]}" "usage: bloomtool check "
}

# refused WORDS ARGUMENT...: one line on stderr, these words.
refused() {
	run -2 --separate-stderr bloomtool check "${@:2}"
	is "$output" ""
	is "$stderr" "bloomtool: $1"
}

@test "with -f a line is in if any filter has it" {
	for option in -f --filter; do
		run -0 --separate-stderr bloomtool check $option a.bf \
		    $option b.bf $option c.bf < lines
		is "$output" "$(seq 9)"
		is "$stderr" ""
	done
	run -0 bloomtool check -f b.bf < lines
	is "$output" "$(seq 4 8)"
	run -0 bloomtool check -c -fa.bf -fc.bf lines lines
	is "$output" 12
}

@test "with --all a line is in if every filter has it" {
	for option in -a --all; do
		run -0 --separate-stderr bloomtool check $option -f a.bf \
		    -f b.bf lines
		is "$output" $'4\n5'
		run -0 bloomtool check $option -c -f a.bf -f b.bf -f c.bf lines
		is "$output" 1
	done
	run -0 bloomtool check -a a.bf lines
	is "$output" "$(seq 5)"
}

@test "-v of any is what none has, of all what one lacks" {
	run -0 bloomtool check -v -f a.bf -f b.bf lines
	is "$output" $'9\n10'
	run -0 bloomtool check -va -f a.bf -f b.bf lines
	is "$output" $'1\n2\n3\n6\n7\n8\n9\n10'
	run -0 bloomtool check -vac -f a.bf -f b.bf lines
	is "$output" 8
	run -1 bloomtool check -v -f a.bf -f b.bf <<< 4
	is "$output" ""
}

@test "--which prints each filter that has the line, in the order given" {
	for option in -w --which; do
		run -0 --separate-stderr bloomtool check $option -f c.bf \
		    -f ./a.bf -f b.bf <<< $'4\n10\n5\n9'
		is "$output" $'./a.bf\t4\nb.bf\t4\nc.bf\t5\n./a.bf\t5\nb.bf\t5\nc.bf\t9'
		is "$stderr" ""
	done
	run -1 bloomtool check -w -f a.bf -f b.bf <<< 10
	is "$output" ""
	run -0 bloomtool check -w a.bf <<< 1
	is "$output" $'a.bf\t1'
}

@test "--which -v prints each filter that lacks the line" {
	run -0 bloomtool check -wv -f a.bf -f b.bf -f c.bf <<< $'4\n10\n5'
	is "$output" $'c.bf\t4\na.bf\t10\nb.bf\t10\nc.bf\t10'
	run -1 bloomtool check -wv -f a.bf -f b.bf <<< 5
	is "$output" ""
}

@test "--which -c counts the lines that each filter has" {
	run -0 bloomtool check -wc -f c.bf -f a.bf -f b.bf lines
	is "$output" $'c.bf\t2\na.bf\t5\nb.bf\t5'
	run -0 bloomtool check -wcv -f c.bf -f a.bf lines lines
	is "$output" $'c.bf\t16\na.bf\t10'
	run -1 bloomtool check -wc -f a.bf -f b.bf <<< 10
	is "$output" $'a.bf\t0\nb.bf\t0'
}

@test "-H puts the input between filter and line, or filter and count" {
	echo 5 > other
	run -0 bloomtool check -wH -f a.bf -f c.bf other - <<< 9
	is "$output" $'a.bf\tother:5\nc.bf\tother:5\nc.bf\t(standard input):9'
	run -0 bloomtool check -wcH -f a.bf -f c.bf lines other
	is "$output" $'a.bf\tlines:5\nc.bf\tlines:2\na.bf\tother:1\nc.bf\tother:1'
	run -0 bloomtool check -H -f b.bf -f c.bf other
	is "$output" other:5
	run -0 bloomtool check -cH -f b.bf -f c.bf lines other
	is "$output" $'lines:6\nother:1'
}

@test "a last line that has no end gets one for each filter" {
	printf 5 | bloomtool check -w -f a.bf -f b.bf > got
	printf 'a.bf\t5\nb.bf\t5\n' | cmp got -
	printf 'x\ny' | bloomtool add -z c.bf
	printf '5\0x\ny' | bloomtool check -zw -f a.bf -f c.bf > got
	printf 'a.bf\t5\0c.bf\t5\0c.bf\tx\ny\0' | cmp got -
	printf 5 | bloomtool check -f a.bf -f b.bf > got
	printf 5 | cmp got -
}

@test "-q with several filters stops at the first line" {
	for options in "" -a -w -wc -wH; do
		# shellcheck disable=SC2086	# several words
		run -0 --separate-stderr timeout 10 bloomtool check -q $options \
		    -f a.bf -f b.bf < <(yes 5)
		is "$output" ""
	done
	run -1 bloomtool check -q -w -f a.bf -f b.bf <<< 10
	run -0 bloomtool check -qwv -f a.bf -f b.bf <<< 1
	run -1 bloomtool check -qa -f a.bf -f b.bf <<< 1
	run -0 bloomtool check -qav -f a.bf -f b.bf <<< 1
}

@test "a filter given twice counts twice" {
	run -0 bloomtool check -f a.bf -f ./a.bf <<< 1
	is "$output" 1
	run -0 bloomtool check -a -f a.bf -f a.bf <<< 1
	is "$output" 1
	run -0 bloomtool check -w -f a.bf -f c.bf -f a.bf <<< 1
	is "$output" $'a.bf\t1\na.bf\t1'
}

@test "--filters-from reads names of filters, one a line" {
	printf 'c.bf\na.bf' > list
	for option in -F --filters-from; do
		run -0 --separate-stderr bloomtool check -w $option list \
		    <<< $'5\n1'
		is "$output" $'c.bf\t5\na.bf\t5\na.bf\t1'
		is "$stderr" ""
	done
	run -0 bloomtool check -w -F <(ls ./*.bf) <<< 9
	is "$output" $'./c.bf\t9'
	mv a.bf ' a b '
	run -0 bloomtool check -F <(echo ' a b ') <<< $'1\n9'
	is "$output" 1
}

@test "-f and --filters-from may be mixed, and keep their order" {
	printf 'c.bf\na.bf\n' > list
	run -0 bloomtool check lines -f b.bf -w -F list -f a.bf -F list -c
	is "$output" $'b.bf\t5\nc.bf\t2\na.bf\t5\na.bf\t5\nc.bf\t2\na.bf\t5'
}

@test "a list may come from stdin if keys do not" {
	run -0 --separate-stderr bloomtool check -F - lines < <(ls ./*.bf)
	is "$output" "$(seq 9)"
	wrong "takes the standard input" -F -
	wrong "takes the standard input" -f a.bf --filters-from=- lines -
	refused "(standard input): empty, wanted the names of filters" \
	    -F - lines < /dev/null
}

@test "a list that is none is refused" {
	mkdir dir
	: > empty
	printf 'a.bf\n\nb.bf\n' > gap
	printf 'a.bf\0b.bf\0' > nul
	printf 'a.bf\r\nb.bf\r\n' > crlf
	{ echo a.bf; head -c 300000 /dev/zero | tr '\0' x; echo; } > long
	refused "gone: No such file or directory" -F gone lines
	refused "dir: Is a directory" -F dir lines
	refused "empty: empty, wanted the names of filters" -F empty lines
	refused "empty: empty, wanted the names of filters" -f a.bf -F empty lines
	refused "gap: line 2 is empty, wanted the name of a filter" -F gap lines
	refused "nul: line 1 has a NUL byte, wanted the name of a filter" \
	    -F nul lines
	refused "crlf: line 1 ends in a carriage return, wanted the name of a filter" \
	    -F crlf lines
	refused "long: line 2 is too long, wanted the name of a filter" \
	    -F long lines
	refused "/dev/zero: line 1 is too long, wanted the name of a filter" \
	    -F /dev/zero lines
	refused "a.bf: more than 100000 filters, which are all that can be used at once" \
	    -F - lines < <(yes a.bf)
}

@test "--which with --all is refused" {
	wrong "--which looks at each filter, so it takes no --all" -wa -f a.bf \
	    lines
}

@test "keys of --except are in none of several filters" {
	printf '5\n7\n' > wrong
	run -0 bloomtool check -x wrong -f a.bf -f b.bf -f c.bf lines
	is "$output" $'1\n2\n3\n4\n6\n8\n9'
	run -0 bloomtool check -a -x wrong -f a.bf -f b.bf lines
	is "$output" 4
	run -0 bloomtool check -vx wrong -f c.bf -f a.bf lines
	is "$output" $'5\n6\n7\n8\n10'
	wrong "--which takes no --except" -w -x wrong -f a.bf lines
}

@test "one filter that cannot be used is enough to stop" {
	echo nonsense > bad.bf
	head -c 5000 a.bf > cut.bf
	for options in "" -a -w -v -c -q; do
		# shellcheck disable=SC2086	# several words
		set -- $options -f a.bf
		refused "gone.bf: No such file or directory" "$@" -f gone.bf lines
		refused "cut.bf: cut off: 5000 bytes, the header alone has 8192" \
		    "$@" -f cut.bf -f b.bf lines
		run -2 --separate-stderr bloomtool check "$@" -F <(echo bad.bf) \
		    lines
		is "$output" ""
		is "${#stderr_lines[@]}" 1
		has "$stderr" "bad.bf: "
	done
}

@test "one filter that may lack keys is enough to stop, and is named" {
	# the mark of a failed sync: the fifth word of page 1
	printf '\1' | dd of=b.bf bs=1 seek=$((4096 + 32)) conv=notrunc status=none
	run -2 --separate-stderr bloomtool check -f a.bf -f b.bf -f c.bf lines
	is "$output" ""
	is "${#stderr_lines[@]}" 2
	has "${stderr_lines[0]}" "b.bf: keys added since"
	has "${stderr_lines[1]}" "bloomtool recover b.bf"
}

@test "a sync that fails meanwhile stops it, with the filter's name" {
	mkfifo in
	bloomtool check -a -v -f a.bf -f b.bf -f c.bf < in > out 2> message \
	    3>&- &
	exec 7> in
	echo x >&7
	until [ -s out ]; do :; done
	printf '\1' | dd of=c.bf bs=1 seek=$((4096 + 32)) conv=notrunc status=none
	echo y >&7
	status=0
	wait $! || status=$?
	exec 7>&-
	is "$status" 2
	is "$(wc -l < message)" 2
	has "$(cat message)" "c.bf: keys added since"
}

@test "a filter that is cut meanwhile is named, whichever it is" {
	bloomtool create -q -n 100000 --seed 1 d.bf
	bloomtool create -q -n 100000 --seed 2 e.bf
	mkfifo in
	for cut in d.bf e.bf; do
		cp $cut saved
		bloomtool check -v -f a.bf -f d.bf -f e.bf -f b.bf < in > out \
		    2> message 3>&- &
		exec 7> in
		echo x >&7
		until [ -s out ]; do :; done
		truncate -s 8192 $cut
		seq 11 1010 >&7
		exec 7>&-
		status=0
		wait $! || status=$?
		is "$status" 2
		is "$(cat message)" "bloomtool: $cut: part of the file cannot be \
read or written (cut short, full or broken disk)"
		cp saved $cut
		: > out
	done
}

@test "a filter that grows meanwhile is named in the end" {
	mkfifo in
	bloomtool check -f a.bf -f b.bf < in > out 2> message 3>&- &
	exec 7> in
	echo 1 >&7
	until [ -s out ]; do :; done
	echo more >> b.bf
	exec 7>&-
	status=0
	wait $! || status=$?
	is "$status" 2
	is "$(wc -l < message)" 1
	has "$(cat message)" "b.bf: size changed while in use"
}

@test "a filter that is the output is refused, and left alone" {
	cp b.bf saved
	run -2 --separate-stderr bash -c \
	    "bloomtool check -f a.bf -f b.bf lines >> b.bf"
	is "$stderr" "bloomtool: b.bf: is the output too"
	cmp b.bf saved
}

@test "filters may be inputs too, which is seldom meant" {
	run -0 --separate-stderr bloomtool check -vc -f a.bf -f b.bf a.bf lines
	(( output > 2 ))
	is "$stderr" "bloomtool: a.bf: is a filter, and is read as lines"
	run -1 --separate-stderr bloomtool check a.bf b.bf
	is "$stderr" "bloomtool: b.bf: is a filter, and is read as lines"
}

@test "packed lists may be inputs too, which is seldom meant" {
	gzip -k lines
	mv lines.gz gzip
	printf '\xfd7zXZ\0...' > xz
	printf '\x28\xb5\x2f\xfd....' > zstd
	printf 'PK\x03\x04....' > zip
	printf '7z\xbc\xaf\x27\x1c..' > 7z
	for kind in gzip xz zstd zip 7z; do
		run -1 --separate-stderr bloomtool check a.bf "$kind"
		is "$stderr" "bloomtool: $kind: is packed by $kind, and is\
 read as lines"
		run -1 --separate-stderr bloomtool check -z a.bf < <(cat "$kind")
		is "$stderr" "bloomtool: (standard input): is packed by $kind,\
 and is read as lines"
	done
	printf '\xff\xfea\0\r\0\n\0' > text
	run -1 --separate-stderr bloomtool check a.bf text
	is "$stderr" "bloomtool: text: is UTF-16, and is read as lines"
	printf 'PK\n7z\n\x1f\n7zXZ\nPK ..\n' > plain
	run -1 --separate-stderr bloomtool check a.bf plain
	is "$stderr" ""
}

@test "check with several filters answers what has come" {
	mkfifo in out
	bloomtool check -w -f a.bf -f b.bf < in > out 3>&- &
	exec 7> in 8< out
	for line in 5 4 5; do
		echo $line >&7
		for filter in a.bf b.bf; do
			read -r -t 20 answer <&8
			is "$answer" "$filter"$'\t'"$line"
		done
	done
	exec 7>&-
	wait $!
}

@test "keys inside lines are looked up in filters of different seeds" {
	printf 'x,5\ny,10\nz,9\nw,4\n' > table
	run -0 bloomtool check -t , -k 2 -f a.bf -f c.bf table
	is "$output" $'x,5\nz,9\nw,4'
	run -0 bloomtool check -t , -k 2 -a -f a.bf -f c.bf table
	is "$output" x,5
	run -0 bloomtool check -t , -k 2 -w -f a.bf -f c.bf table
	is "$output" $'a.bf\tx,5\nc.bf\tx,5\nc.bf\tz,9\na.bf\tw,4'
}

@test "filters that grow meanwhile are looked up whole" {
	bloomtool create -q -g -n 10 g.bf
	cp g.bf h.bf
	mkfifo in out
	bloomtool check -w -f g.bf -f a.bf -f h.bf < in > out 3>&- &
	exec 7> in 8< out
	echo 1 >&7
	read -r -t 20 answer <&8
	is "$answer" $'a.bf\t1'
	for filter in g.bf h.bf; do
		size=$(stat -c %s $filter)
		seq 1000 1999 | bloomtool add $filter
		(($(stat -c %s $filter) > size))
	done
	echo 1999 >&7
	for filter in g.bf h.bf; do
		read -r -t 20 answer <&8
		is "$answer" $filter$'\t1999'
	done
	exec 7>&-
	wait $!
}

# tiny COUNT: filters 1 to COUNT in tiny/, of which every 100th has "x".
tiny() {
	mkdir tiny
	bloomtool create -q -n 10 -p 1e-9 one.bf
	cp one.bf other.bf
	echo x | bloomtool add other.bf
	# shellcheck disable=SC2046	# a list
	(cd tiny && tee $(seq -f %.0f.bf "$1") < ../one.bf > /dev/null &&
	    for i in $(seq 100 100 "$1"); do cp ../other.bf "$i.bf"; done)
	seq -f tiny/%.0f.bf "$1" > list
}

@test "1,000 filters at once, whatever the limit on open files" {
	tiny 1000
	ulimit -Sn 256
	run -0 --separate-stderr bloomtool check -w -F list <<< $'y\nx'
	is "$output" "$(seq -f $'tiny/%.0f.bf\tx' 100 100 1000)"
	is "$stderr" ""
	run -0 bloomtool check -F list <<< $'y\nx'
	is "$output" x
	run -0 bloomtool check -vac -F list <<< $'y\nx'
	is "$output" 2
	# as many as there can be, and some of them are not ours
	ulimit -Hn 1006
	run -2 --separate-stderr bloomtool check -F list -f one.bf -f one.bf \
	    lines
	is "${#stderr_lines[@]}" 1
	has "$stderr" ".bf: "
	has "$stderr" "Too many open files"
	for limit in 1003 300; do
		ulimit -Hn $limit
		refused "1000 filters need 1004 open files, the limit is $limit (ulimit -n)" \
		    -F list lines
	done
}

@test "memory stays below the mappings and 16 MiB with 1,000 filters" {
	! sanitized || skip "the sanitizer takes memory of its own"
	tiny 1000
	{ seq 1000000 1160000; echo x; } > keys
	cat > peak.py <<- 'END'
	import os, subprocess
	page = os.sysconf("SC_PAGESIZE")
	size = sum(-(-os.path.getsize(f.strip()) // page) * page
	    for f in open("list"))
	p = subprocess.Popen(["bloomtool", "check", "-w", "-j8", "-F", "list",
	    "keys", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
	assert p.stdout.readline() == b"tiny/100.bf\tx\n"
	peak = [int(l.split()[1]) * 1024 for l in
	    open(f"/proc/{p.pid}/status") if l.startswith("VmHWM")][0]
	p.communicate()
	assert peak <= size + 16 * 1024 * 1024, (peak, size)
	END
	python3 peak.py
}

# answers WANTED OPTION...: in all ways, the answers of query.py.
answers() {
	cd "$FILES" || return
	for simd in best plain; do
		for j in 1 2 7; do
			BLOOMTOOL_SIMD=$simd bloomtool check -j$j "${@:2}" \
			    lines | cmp - "$1" || {
				echo "$simd, $j threads" >&2
				return 1
			}
		done
	done
}

FIVE=(-f 0.bf -f 1.bf -f 2.bf -f 3.bf -f 4.bf)

@test "any and all print what a slow program prints, whatever the threads" {
	answers any "${FIVE[@]}"
	answers none -v "${FIVE[@]}"
	answers all -a "${FIVE[@]}"
	answers not-all -va "${FIVE[@]}"
	answers any -f 4.bf -f 3.bf -f 2.bf -f 1.bf -f 0.bf
}

@test "--which prints what a slow program prints, whatever the threads" {
	answers which -w "${FIVE[@]}"
	answers which-not -wv "${FIVE[@]}"
}

@test "--which of hundreds prints what a slow program prints" {
	cd "$FILES"
	for j in 1 3; do
		bloomtool check -j$j -w -F many lines | cmp - many-which
	done
}
