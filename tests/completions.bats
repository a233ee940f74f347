# Completions, each in its shell.
# shellcheck disable=SC2016	# what is for awk or another shell
load helper

COMPLETIONS=$ROOT/completions
TAB=$'\t'
ALL=$'\e*'	# in bash: put in all that Tab would list
export LC_ALL=C

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	export HOME=$PWD
}

# need SHELL: or skip.
need() {
	command -v "$1" > /dev/null || skip "no $1 here"
}

# in_bash KEY LINE...: each line as it stands after the key; $setting is a
# command to begin with.
in_bash() {
	local line
	{
		printf 'source %q\n' "$COMPLETIONS/bloomtool.bash"
		printf '%s\n' "${setting-}"
		# Control-T prints the line, Control-U takes it away.
		printf '%s\n' \
		    'bind -x '\''"\C-t": printf "%s\n" "$READLINE_LINE"'\'
		for line in "${@:2}"; do
			printf '%s' "$line" "$1" $'\ct\cu'
		done
	} | bash --norc --noprofile -i 2> /dev/null
}

# in_zsh LINE..., in_fish LINE...: for each line what Tab lists, and then, after
# "> ", in zsh the line as it then stands.
in_zsh() {
	timeout 60 zsh -f "$BATS_TEST_DIRNAME/complete.zsh" "$COMPLETIONS" "$@"
}
in_fish() {
	fish --no-config -c 'source $argv[1]
		for line in $argv[2..]
			complete -C $line
			echo "> "
		end' -- "$COMPLETIONS/bloomtool.fish" "$@"
}

# listed SHELL LINE...: for each line the words that are listed, as one line.
# What is to be completed at its end is nothing, or - for an option.
listed() {
	local line got
	case $1 in
	bash)
		for line in "${@:2}"; do
			IFS= read -r -u 3 got
			got=${got#"${line%-}"}
			echo "${got% }"
		done 3< <(in_bash "$ALL" "${@:2}")
		;;
	*)
		"in_$1" "${@:2}" | sed 's/^--[a-z-]*=//' | awk -F '\t' '
			/^> / { print list; list = sep = ""; next }
			{ list = list sep $1; sep = " " }'
		;;
	esac
}

# numbered: what is listed for the first line has a 1 before it, and so on.
numbered() {
	awk '/^> / { n++; next } { print n + 1, $0 }' | sed 's/ *$//' | sort
}

# pages: what has a help of its own, the first one nothing.
pages() {
	echo
	bloomtool help | sed -nE '/^commands:/,/^$/s/^  ([a-z]+)  .*/\1/p' |
		grep -v '^help$'
}

# commands FORMAT: those in the help, as awk prints $1, the name, and $2, the
# text.
commands() {
	bloomtool help |
		sed -nE '/^commands:/,/^$/s/^  ([a-z]+)  +(.*)/\1\t\2/p' |
		awk -F '\t' "{ $1 }" | sort
}

# options FORMAT PAGE: those in its help, as awk prints $1, the letter if it has
# one, $2, the name, and $3, the text.
options() {
	bloomtool ${2:+"$2"} --help |
		sed -nE 's/^  ((-.), |    )(--[a-z-]+)( [A-Z]+)?  +(.*)/\2\t\3\t\5/p' |
		awk -F '\t' "{ $1 }" | sort
}

# Of commands the names, of options all forms.
NAMES='if ($1) print $1; if ($2 ~ /^-/) print $2'

@test "the completions are those that tools/completions makes of the help" {
	mkdir made
	"$ROOT/tools/completions" made
	diff -r "$COMPLETIONS" made || {
		echo "make completions makes them anew" >&2
		false
	}
}

@test "bash completes the commands and options of the help, and no others" {
	mapfile -t pages < <(pages)
	lines=("bloomtool " "bloomtool help ")
	{
		{ commands "$NAMES" && options "$NAMES"; } | sort | xargs
		commands "$NAMES" | xargs
		for page in "${pages[@]}"; do
			lines+=("bloomtool ${page:+$page }-")
			options "$NAMES" "$page" | xargs
		done
	} > wanted
	is "$(grep -c . wanted)" $((2 + ${#pages[@]}))
	listed bash "${lines[@]}" | diff -u wanted -
}

# texts_in SHELL COMMAND OPTION: what it lists for commands and options is what
# the help says, as awk prints it.
texts_in() {
	local page pages lines=("bloomtool " "bloomtool help ")
	mapfile -t pages < <(pages)
	{
		commands "$2" && echo "> "
		commands "$2" && echo "> "
		for page in "${pages[@]}"; do
			lines+=("bloomtool ${page:+$page }-")
			options "$3" "$page" && echo "> "
		done
	} > texts
	numbered < texts > wanted
	is "$(cut -d ' ' -f 1 wanted | sort -u | wc -l)" ${#lines[@]}
	"in_$1" "${lines[@]}" | numbered | diff -u wanted -
}

@test "zsh completes the commands and options of the help, with its texts" {
	need zsh
	texts_in zsh 'print $1 " -- " $2' \
	    'print $2 ($1 ? " " $1 : "") " -- " $3'
}

@test "fish completes the commands and options of the help, with its texts" {
	need fish
	texts_in fish 'print $1 "\t" $2' \
	    'if ($1) print $1 "\t" $3; print $2 "\t" $3'
}

# Options and their words.
words() {
	cat <<- END
		create --full stop warn
		create --key bytes int64 utf16le
		create --prefer space speed
		create --scheme bits-and-blooms dcso go-zero guava guava-bitmap redisbloom
		add --scheme bits-and-blooms dcso go-zero guava guava-bitmap redisbloom
		check --key bytes int64 utf16le
		estimate --prefer space speed
		export --to bits-and-blooms dcso guava redis-bitmap redisbloom
		import --from bits-and-blooms dcso dcso-0.1 guava libbloom pybloomfiltermmap3 redis-bitmap redisbloom redisbloom-1.1 redisbloom-2.0
		import --key bytes int64 utf16le
		import --rule go-zero guava
	END
}

# words_in SHELL: lists the words for an option, in each form.
words_in() {
	local command option choices letter form lines=()
	while read -r command option choices; do
		letter=$(options "if (\$2 == \"$option\") print \$1" "$command")
		for form in "$option " "$option=" "$letter "; do
			lines+=("bloomtool $command $form")
			echo "$choices"
		done
	done < <(words) > wanted
	# In the order of the shell.
	listed "$1" "${lines[@]}" | while read -ra listed; do
		printf '%s\n' "${listed[@]}" | sort | xargs
	done | diff -u wanted -
}

@test "bash completes the words that an option takes" {
	words_in bash
}

@test "zsh completes the words that an option takes" {
	need zsh
	words_in zsh
}

@test "fish completes the words that an option takes" {
	need fish
	words_in fish
}

@test "the words that are completed are taken" {
	while read -r command option wanted; do
		for word in $wanted; do
			run -2 bloomtool "$command" "$option" "$word"
			[[ $output != *"\"$word\""* ]]
		done
	done < <(words)
}

# files_in SHELL FILTERS FILES: completes filters and files where they are due,
# by these lists.
files_in() {
	local wanted line lines=()
	mkdir files
	cd files || return 1
	touch a.bf b.bf other.bloom urls
	mkdir z
	while IFS=: read -r wanted line; do
		[[ $line == *= ]] || line+=" "
		lines+=("$line")
		case $wanted in
		filter) echo "$2" ;;
		file) echo "$3" ;;
		nothing) echo ;;
		esac
	done > ../wanted <<- END
		filter:bloomtool add
		filter:bloomtool add -qk 2
		filter:bloomtool add -qk2
		filter:bloomtool add --field=2
		filter:bloomtool add --
		filter:bloomtool create -n 5
		filter:bloomtool create --like=
		filter:bloomtool create -gL
		filter:bloomtool check -f
		filter:bloomtool check
		filter:bloomtool import other.bloom
		filter:bloomtool stats a.bf
		filter:bloomtool union a.bf b.bf -fo
		filter:bloomtool union -o c.bf a.bf b.bf
		file:bloomtool add a.bf
		file:bloomtool add a.bf urls
		file:bloomtool add -v a.bf -- urls
		file:bloomtool check a.bf
		file:bloomtool check -f a.bf
		file:bloomtool check -cf a.bf
		file:bloomtool check -cfa.bf
		file:bloomtool check --filter=a.bf --filter=b.bf
		file:bloomtool check --filters-from
		file:bloomtool check --filters-from list
		file:bloomtool check a.bf --except=
		file:bloomtool export -t guava a.bf
		file:bloomtool import
		file:bloomtool import -V
		nothing:bloomtool create -n
		nothing:bloomtool add --note=
		nothing:bloomtool help add
	END
	listed "$1" "${lines[@]}" | diff -u ../wanted -
}

@test "bash completes filters and files where they are due" {
	files_in bash "a.bf b.bf z" "a.bf b.bf other.bloom urls z"
}

@test "zsh completes filters and files where they are due" {
	need zsh
	files_in zsh "a.bf b.bf z/" "a.bf b.bf other.bloom urls z/"
}

@test "fish completes filters and files where they are due" {
	need fish
	files_in fish "a.bf b.bf z/ other.bloom urls" \
	    "a.bf b.bf other.bloom urls z/"
}

# The first of two words in each line becomes the second by Tab; | is a blank.
ends() {
	cat <<- END
		bloomtool|cre bloomtool|create|
		bloomtool|help|cre bloomtool|help|create|
		bloomtool|create|--full=s bloomtool|create|--full=stop|
		bloomtool|create|-gF|s bloomtool|create|-gF|stop|
		bloomtool|check|--uns bloomtool|check|--unseen|
		bloomtool|add|a bloomtool|add|a.bf|
		bloomtool|add|o bloomtool|add|other.bloom|
		bloomtool|add|tw bloomtool|add|two\\|words.bf|
		bloomtool|add|zo bloomtool|add|zoo/
		bloomtool|add|zoo/ bloomtool|add|zoo/ape.bf|
		bloomtool|add|a.bf|u bloomtool|add|a.bf|urls|
	END
}

# ends_in COMMAND...: it prints the lines as a shell has them after Tab.
ends_in() {
	local line wanted lines=()
	mkdir files
	cd files || return 1
	mkdir zoo
	touch a.bf other.bloom "two words.bf" urls zoo/ape.bf
	while read -r line wanted; do
		lines+=("${line//|/ }")
		echo "${wanted//|/ }"
	done < <(ends) > ../wanted
	"$@" "${lines[@]}" | diff -u ../wanted -
}

@test "bash ends words with a blank, folders with a slash, and quotes blanks" {
	ends_in in_bash "$TAB"
}

@test "bash completes values also where = does not divide words" {
	setting='COMP_WORDBREAKS=${COMP_WORDBREAKS/=/}'
	touch a.bf "two words.bf" urls
	while read -r line wanted; do
		is "$(in_bash "$TAB" "bloomtool ${line//|/ }")" \
		    "bloomtool ${wanted//|/ }"
	done <<- END
		create|--full=s create|--full=stop|
		create|--like=tw create|--like=two\\|words.bf|
		check|a.bf|--except=u check|a.bf|--except=urls|
		check|--filter=a.bf|u check|--filter=a.bf|urls|
		add|--quiet=a add|--quiet=a
	END
}

@test "zsh ends words with a blank, folders with a slash, and quotes blanks" {
	need zsh
	zsh_line() {
		in_zsh "$@" | sed 's/^> //'
	}
	ends_in zsh_line
}

@test "an option's value may stand behind its letter in zsh and fish" {
	need zsh
	need fish
	touch a.bf b.bf
	is "$(in_zsh "bloomtool create -qFs")" "> bloomtool create -qFstop "
	is "$(listed fish "bloomtool create -Fs")" "-Fstop"
	is "$(listed zsh "bloomtool create -L")" "a.bf b.bf"
	is "$(listed fish "bloomtool create -L")" "-La.bf -Lb.bf"
	is "$(listed fish "bloomtool create -qLb")" "-qLb.bf"
}
