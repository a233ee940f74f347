# The program as a whole: help, version, options and what is wrong with them.
# shellcheck disable=SC2154	# stderr and stderr_lines: run sets them
load helper

COMMANDS="create add check stats estimate union intersect import export
	recover"

# wrong ARGUMENT...: two lines on stderr, the second one the usage; exit 2.
wrong() {
	run -2 --separate-stderr timeout 5 bloomtool "$@"
	is "$output" ""
	is "${#stderr_lines[@]}" 2
	[[ ${stderr_lines[0]} == bloomtool* ]]
	[[ ${stderr_lines[1]} == "usage: bloomtool "* ]]
}

@test "bloomtool alone prints the help on stderr and exits 2" {
	run -2 bash -c "bloomtool 2> alone.txt"
	is "$output" ""
	bloomtool help > asked.txt
	cmp alone.txt asked.txt
}

@test "help, --help and -h print the same on stdout" {
	run -0 --separate-stderr bloomtool help
	is "$stderr" ""
	help=$output
	[[ $help == "  bloomtool create "* ]]
	has "$help" "usage: bloomtool COMMAND"
	for word in --help -h; do
		run -0 --separate-stderr bloomtool $word
		is "$output" "$help"
		is "$stderr" ""
	done
}

@test "help names each command, one a line" {
	run -0 --separate-stderr bloomtool help
	sed -n '/^commands:/,/^$/s/^  *\([a-z]*\)  .*/\1/p' <<< "$output" > names
	# shellcheck disable=SC2086	# a list
	printf '%s\n' $COMMANDS help | cmp - names
}

@test "--version and -V print one line on stdout" {
	for word in --version -V; do
		run -0 --separate-stderr bloomtool $word
		is "$stderr" ""
		[[ $output =~ ^bloomtool\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	done
}

@test "the version is the same everywhere" {
	version=$(bloomtool --version | cut -d ' ' -f 2)
	is "$("$ROOT/tools/version")" "$version"
	for page in "$ROOT"/man/bloomtool.[15]; do
		is "$(grep '^.Os' "$page")" ".Os bloomtool $version"
	done
	is "$(grep -m 1 '^## ' "$ROOT/CHANGELOG.md" | cut -d , -f 1)" "## $version"
	grep -qx "pkgver=$version" "$ROOT/packaging/arch/PKGBUILD"
	grep -q "/bloomtool-$version.tar.gz\"" "$ROOT/packaging/homebrew/bloomtool.rb"
}

@test "help of a command is the same in three ways, on stdout" {
	for command in $COMMANDS; do
		run -0 --separate-stderr bloomtool "$command" --help
		is "$stderr" ""
		help=$output
		has "$help" "usage: bloomtool $command "
		run -0 --separate-stderr bloomtool "$command" -h
		is "$output" "$help"
		is "$stderr" ""
		run -0 --separate-stderr bloomtool help "$command"
		is "$output" "$help"
		is "$stderr" ""
	done
}

@test "help of a command begins with an example" {
	for command in $COMMANDS; do
		run -0 --separate-stderr bloomtool "$command" --help
		[[ ${lines[0]} =~ ^\ +(.*\|\ )?bloomtool\ $command\  ]]
	done
}

@test "help, and the usage after a mistake, fit in 80 columns" {
	for command in $COMMANDS; do
		run -0 bloomtool "$command" --help
		is "$(grep -E '.{81}' <<< "$output")" ""
	done
	run -0 bloomtool help
	is "$(grep -E '.{81}' <<< "$output")" ""
}

@test "help of a command lists each option, short and long" {
	while read -r command wanted; do
		run -0 --separate-stderr bloomtool "$command" --help
		has "$output" "-h, --help"
		for name in $wanted; do
			is "$(grep -cE "^ +-., --$name( |$)" <<< "$output")" 1
		done
	done <<- END
		create keys rate size prefer seed like note force quiet
		add unseen count null-data quiet create keys rate
		check unseen count quiet null-data with-filename all which
		check filter filters-from
		stats json check layers
		estimate keys rate size prefer json curve plot
	END
	while read -r command wanted; do
		run -0 --separate-stderr bloomtool "$command" --help
		for pair in $wanted; do
			has "$output" "  -${pair%%:*}, --${pair#*:}"
		done
	done <<- END
		create n:keys p:rate s:size f:force q:quiet
		add v:unseen c:count z:null-data q:quiet n:keys p:rate
		import F:from K:key V:verify n:name N:note f:force w:wait
		export t:to n:name Z:gzip f:force
		check v:unseen c:count q:quiet z:null-data H:with-filename
		check a:all w:which f:filter F:filters-from
		estimate n:keys p:rate s:size
	END
}

# bats test_tags=slow
@test "each option in the help is taken in both forms" {
	for command in $COMMANDS; do
		bloomtool "$command" --help > help
		# "  -n, --keys N   text": letter, name, what it takes or text
		sed -nE 's/^ +-(.), --([a-z-]+) ?([A-Z]*) .*/\1 \2 \3/p' help \
		    > options
		[ -s options ]
		while read -r letter name arg; do
			value=
			case $name in
			rate) value=0.1 ;;
			size) value=1MB ;;
			prefer) value=space ;;
			full) value=stop ;;
			key) value=bytes ;;
			scheme | from | to) value=dcso ;;
			rule) value=guava ;;
			delimiter) value=, ;;
			*) value=${arg:+10} ;;
			esac
			is "${arg:+takes}" "${value:+takes}"
			for form in "-$letter" "--$name"; do
				run -0 --separate-stderr bloomtool "$command" \
				    "$form" ${value:+"$value"} --help
				is "$output" "$(cat help)"
			done
			[ -n "$value" ] || continue
			for form in "-$letter$value" "--$name=$value"; do
				run -0 --separate-stderr bloomtool "$command" \
				    "$form" --help
			done
		done < options
	done
}

@test "each option in the help is in the man page" {
	[ -e "$ROOT/man/bloomtool.1" ] || skip "no man page here"
	for command in $COMMANDS; do
		bloomtool "$command" --help |
		    sed -nE 's/^ +-(.), --([a-z-]+) .*/\1 \2/p' > options
		[ -s options ]
		while read -r letter name; do
			grep -qE -- "Fl -$name( |$)" "$ROOT/man/bloomtool.1" || {
				echo "$command --$name is not there" >&2
				false
			}
			grep -qE -- "Fl $letter( |$)" "$ROOT/man/bloomtool.1"
		done < options
	done
}

@test "each option in the man page is in the help" {
	for command in $COMMANDS ""; do
		bloomtool ${command:+"$command"} --help
	done | sed -nE 's/^ +(-., )?(--[a-z-]+) .*/\2/p' | sort -u > help
	grep -oE 'Fl -[a-z-]+' "$ROOT/man/bloomtool.1" | sed 's/Fl -/--/' |
		sort -u | diff -u help -
}

@test "help of help is the help" {
	run -0 --separate-stderr bloomtool help help
	is "$stderr" ""
	has "$output" "usage: bloomtool COMMAND"
}

@test "help of an unknown command names the nearest one" {
	wrong help chekc
	has "${stderr_lines[0]}" "chekc"
	has "${stderr_lines[0]}" '"check"'
}

@test "an unknown command names the nearest one" {
	while read -r word nearest; do
		wrong "$word"
		has "${stderr_lines[0]}" "\"$word\""
		has "${stderr_lines[0]}" "\"$nearest\"?"
	done <<- END
		craete create
		creat create
		creates create
		ad add
		adds add
		dad add
		chek check
		chekc check
		Check check
		stat stats
		satts stats
		estimte estimate
		estimates estimate
	END
}

@test "an unknown command that is near to none names help" {
	for word in xyzzy 42 "" "add add" --; do
		wrong "$word"
		has "${stderr_lines[0]}" "\"help\"?"
	done
}

@test "commands cannot be abbreviated" {
	wrong est
	has "${stderr_lines[0]}" '"estimate"?'
	wrong c
}

@test "an unknown letter names the option that has it in the other case or first" {
	while read -r command letter near; do
		wrong "$command" "$letter"
		has "${stderr_lines[0]}" \
		    "unknown option $letter; did you mean $near?"
	done <<- END
		add -d -t (--delimiter)
		add -u -v (--unseen)
		add -f -F (--full)
		check -e -x (--except)
		stats -v -V (--verify)
		check -o -h (--help)
	END
}

@test "an unknown option before the command names the nearest one" {
	for word in --hlep --hel; do
		wrong "$word"
		has "${stderr_lines[0]}" "$word"
		has "${stderr_lines[0]}" "help"
	done
	for word in --verson --versions -v; do
		wrong "$word"
		has "${stderr_lines[0]}" "$word"
		[[ ${stderr_lines[0]} =~ --version|-V ]]
	done
}

@test "an unknown long option names the nearest one" {
	while read -r command option nearest; do
		wrong "$command" f.bf "--$option"
		has "${stderr_lines[0]}" "bloomtool $command: "
		has "${stderr_lines[0]}" "--$option;"
		has "${stderr_lines[0]}" "--$nearest?"
	done <<- END
		create kyes keys
		create kesy keys
		create raet rate
		create siez size
		create perfer prefer
		create sede seed
		create liek like
		create notes note
		create froce force
		create quite quiet
		add unsen unseen
		add coutn count
		add nulldata null-data
		add null_data null-data
		add creat create
		check uneen unseen
		check cuont count
		check qiuet quiet
		check with-file-name with-filename
		stats jsno json
		stats chekc check
		estimate kesy keys
		estimate xyzzy help
		check hlep help
	END
	[ ! -e f.bf ]
}

# bats test_tags=valgrind
@test "an unknown long option with a value is named without the value" {
	wrong create --kyes=5 f.bf
	has "${stderr_lines[0]}" "--kyes;"
	has "${stderr_lines[0]}" "--keys?"
}

@test "long options cannot be abbreviated" {
	wrong create --siz 1MB f.bf
	has "${stderr_lines[0]}" "--siz;"
	has "${stderr_lines[0]}" "--size?"
	wrong create --k=1000 f.bf
	has "${stderr_lines[0]}" "--keys?"
	wrong create -n 1000 --forc f.bf
	has "${stderr_lines[0]}" "--force?"
	[ ! -e f.bf ]
	bloomtool create -q -n 1000 f.bf
	wrong check --unsee f.bf
	has "${stderr_lines[0]}" "--unseen?"
	wrong add --uns f.bf
	has "${stderr_lines[0]}" "--unseen?"
	wrong stats --js f.bf
	has "${stderr_lines[0]}" "--json?"
	wrong estimate -n 10 --js
	has "${stderr_lines[0]}" "--json?"
	wrong check --he
	has "${stderr_lines[0]}" "--help?"
}

@test "long options cannot be abbreviated where something else is wrong too" {
	wrong create -n 1000 f.bf --lik
	has "${stderr_lines[0]}" "--lik;"
	has "${stderr_lines[0]}" "--like?"
	wrong create -n 1000 --forc=yes f.bf
	has "${stderr_lines[0]}" "--forc;"
	has "${stderr_lines[0]}" "--force?"
	[ ! -e f.bf ]
}

@test "an unknown letter names the nearest option" {
	wrong check -C f.bf
	has "${stderr_lines[0]}" "-C;"
	has "${stderr_lines[0]}" "-c (--count)?"
	wrong create -Q f.bf
	has "${stderr_lines[0]}" "-q (--quiet)?"
	wrong add -cx f.bf
	has "${stderr_lines[0]}" "-x;"
	has "${stderr_lines[0]}" "--help"
	wrong stats -9 f.bf
	has "${stderr_lines[0]}" "-9;"
	wrong stats $'-\xff' f.bf
	[ ! -e f.bf ]
}

@test "an option without its value says which, and what it needs" {
	for form in -n --keys; do
		wrong create f.bf $form
		has "${stderr_lines[0]}" "-n, --keys"
	done
	wrong create f.bf -n 10 --note
	has "${stderr_lines[0]}" "--note"
	wrong estimate -p
	has "${stderr_lines[0]}" "--rate"
	[ ! -e f.bf ]
}

@test "a value for an option that takes none is refused" {
	wrong check --count=3 f.bf
	has "${stderr_lines[0]}" "--count"
	wrong create -n 10 --force=yes f.bf
	has "${stderr_lines[0]}" "--force"
	[ ! -e f.bf ]
}

@test "options may follow operands" {
	run -0 --separate-stderr bloomtool create f.bf -n 100 --quiet
	is "$stderr" ""
	printf '%s\n' a b > keys
	run -0 --separate-stderr bloomtool add f.bf keys -c
	is "$output" 2
	run -0 --separate-stderr bloomtool check f.bf keys --count
	is "$output" 2
	run -0 --separate-stderr bloomtool stats f.bf --json
	is "$(jq .keys_added <<< "$output")" 2
}

@test "options may stand behind one dash, with values attached" {
	run -0 --separate-stderr bloomtool create -qfn100 -p.1 f.bf
	is "$stderr" ""
	is "$(field f.bf keys_wanted)" 100
	is "$(field f.bf rate_wanted)" 0.1
	run -0 --separate-stderr bloomtool create --quiet --keys=200 \
	    --rate=1e-3 g.bf
	is "$(field g.bf keys_wanted)" 200
	is "$(field g.bf rate_wanted)" 0.001
	run -0 --separate-stderr bloomtool check -vc f.bf <<< x
	is "$output" 1
}

@test "-- ends the options" {
	run -0 --separate-stderr bloomtool create -q -n 100 -- -c
	[ -e ./-c ]
	printf '%s\n' a b > -v
	run -0 --separate-stderr bloomtool add -c -- -c -v
	is "$output" 2
	is "$stderr" ""
	run -0 --separate-stderr bloomtool check -- -c -v
	is "$output" "a"$'\n'"b"
	run -0 --separate-stderr bloomtool stats --json -- -c
	is "$(jq -r .file <<< "$output")" "-c"
	wrong stats --
}

@test "a command without its FILTER is wrong" {
	for command in create add check stats recover; do
		wrong "$command"
		has "${stderr_lines[0]}" "FILTER"
		has "${stderr_lines[1]}" "usage: bloomtool $command "
	done
	wrong create -n 1000
	has "${stderr_lines[0]}" "FILTER"
}

@test "operands too many are refused" {
	wrong create -n 1000 f.bf g.bf
	has "${stderr_lines[0]}" "g.bf"
	[ ! -e f.bf ]
	[ ! -e g.bf ]
	wrong estimate -n 1000 f.bf
	has "${stderr_lines[0]}" "f.bf"
}

@test "help to a full disk is exit 2 with a message" {
	[ -c /dev/full ] || skip "no /dev/full here"
	for words in help --help --version "help check" "create --help" \
	    "add -h" "check -h" "stats -h" "estimate -h"; do
		run -2 --separate-stderr bash -c "bloomtool $words > /dev/full"
		is "${#stderr_lines[@]}" 1
		has "$stderr" "stdout: No space left on device"
	done
}

@test "help to a closed stdout is exit 2 with a message" {
	for words in help --version "check --help"; do
		run -2 --separate-stderr bash -c "bloomtool $words >&-"
		is "${#stderr_lines[@]}" 1
		has "$stderr" "stdout: "
	done
}

@test "help into a pipe that nobody reads ends quietly" {
	run -141 --separate-stderr env --default-signal=PIPE bash -c "
		exec 3> >(exit)
		wait \$!		# the reader is gone
		exec bloomtool help >&3"
	is "$stderr" ""
}

@test "messages do not depend on the locale" {
	run -0 bloomtool estimate -n 1.5k -p 0.1%
	plain=$output
	has "$plain" "0.001"
	for locale in de_DE.UTF-8 fr_FR.UTF-8 C.UTF-8 xx_YY; do
		run -0 --separate-stderr env LC_ALL=$locale LANG=$locale \
		    bloomtool estimate -n 1.5k -p 0.1%
		is "$output" "$plain"
		is "$stderr" ""
	done
}

@test "the tests that docs/RELIABILITY.md names are there" {
	cd "$BATS_TEST_DIRNAME/.."
	# shellcheck disable=SC2016	# not for the shell to expand
	run -0 grep -oE '`[a-z-]+\.bats`|`make [a-z-]+`' docs/RELIABILITY.md
	((${#lines[@]} > 15))
	for name in "${lines[@]}"; do
		name=${name//\`/}
		case $name in
		make*) grep -q "^${name#make }:" Makefile ;;
		*) [ -e "tests/$name" ] || [ -e "tests/torture/$name" ] ;;
		esac
	done
}
