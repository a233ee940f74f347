# bash completion for bloomtool, for bash 4.0 and later
# Made by tools/completions: change that, not this.
# shellcheck shell=bash

# What a command takes: its operands, and for each option a line of its forms
# and its value; what is in small letters is one of these words.  The options
# instead leave no place for the first operand.
_bloomtool_takes()
{
	case $1 in
	create)
		operands='FILTER'
		options='
		-n,--keys N
		-p,--rate P
		-s,--size SIZE
		-P,--prefer speed space
		-g,--grow
		-F,--full warn stop
		-R,--scheme dcso redisbloom guava bits-and-blooms go-zero guava-bitmap
		-K,--key bytes utf16le int64
		-S,--seed N
		-L,--like FILTER
		-N,--note TEXT
		-f,--force
		-q,--quiet
		--progress
		--no-progress
		-h,--help
		'
		;;
	add)
		operands='FILTER FILE...'
		options='
		-v,--unseen
		-c,--count
		-q,--quiet
		-z,--null-data
		-k,--field N
		-t,--delimiter CHAR
		-b,--bytes RANGE
		-i,--ignore-case
		-r,--strip-cr
		-C,--create
		-n,--keys N
		-p,--rate P
		-s,--size SIZE
		-P,--prefer speed space
		-g,--grow
		-F,--full warn stop
		-R,--scheme dcso redisbloom guava bits-and-blooms go-zero guava-bitmap
		-K,--key bytes utf16le int64
		-S,--seed N
		-L,--like FILTER
		-N,--note TEXT
		-y,--no-sync
		-w,--wait SECONDS
		-W,--network
		-j,--threads N
		--progress
		--no-progress
		-h,--help
		'
		;;
	check)
		operands='FILTER FILE...'
		instead='-f --filter -F --filters-from'
		options='
		-v,--unseen
		-c,--count
		-q,--quiet
		-H,--with-filename
		-x,--except FILE
		-z,--null-data
		-j,--threads N
		--progress
		--no-progress
		-k,--field N
		-t,--delimiter CHAR
		-b,--bytes RANGE
		-i,--ignore-case
		-r,--strip-cr
		-K,--key bytes utf16le int64
		-f,--filter FILTER
		-F,--filters-from FILE
		-a,--all
		-w,--which
		-h,--help
		'
		;;
	stats)
		operands='FILTER...'
		options='
		-c,--check
		-J,--json
		-l,--layers
		-V,--verify
		--progress
		--no-progress
		-h,--help
		'
		;;
	estimate)
		options='
		-n,--keys N
		-p,--rate P
		-s,--size SIZE
		-P,--prefer speed space
		-c,--curve
		-g,--plot
		-J,--json
		-h,--help
		'
		;;
	union)
		operands='FILTER...'
		options='
		-o,--output FILTER
		-f,--force
		-q,--quiet
		-w,--wait SECONDS
		--progress
		--no-progress
		-h,--help
		'
		;;
	intersect)
		operands='FILTER...'
		options='
		-o,--output FILTER
		-f,--force
		-q,--quiet
		-w,--wait SECONDS
		--progress
		--no-progress
		-h,--help
		'
		;;
	import)
		operands='FILE FILTER'
		options='
		-F,--from libbloom pybloomfiltermmap3 redisbloom dcso bits-and-blooms guava dcso-0.1 redisbloom-2.0 redisbloom-1.1 redis-bitmap
		-K,--key bytes utf16le int64
		-V,--verify FILE
		-N,--note TEXT
		-f,--force
		-q,--quiet
		-w,--wait SECONDS
		--progress
		--no-progress
		-n,--name KEY
		-m,--bits M
		-k,--hashes K
		-R,--rule guava go-zero
		-h,--help
		'
		;;
	export)
		operands='FILTER FILE'
		options='
		-t,--to redisbloom dcso bits-and-blooms guava redis-bitmap
		-n,--name KEY
		-Z,--gzip
		-f,--force
		--progress
		--no-progress
		-h,--help
		'
		;;
	recover)
		operands='FILTER FILE...'
		options='
		-a,--accept
		-q,--quiet
		-z,--null-data
		-w,--wait SECONDS
		-W,--network
		--progress
		--no-progress
		-k,--field N
		-t,--delimiter CHAR
		-b,--bytes RANGE
		-i,--ignore-case
		-r,--strip-cr
		-h,--help
		'
		;;
	help)
		operands=COMMAND
		;;
	esac
}

_bloomtool_words()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

# Those that are named so, and folders; all files if none is.
_bloomtool_filters()
{
	mapfile -t COMPREPLY < <(compgen -f -X '!*.bf' -- "$cur")
	if ((${#COMPREPLY[@]} > 0)); then
		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY \
			< <(compgen -d -- "$cur")
		compopt -o filenames
	fi
}

# Without an answer, readline completes names of files, but for a prefix.
_bloomtool_complete()
{
	case $1 in
	FILTER) _bloomtool_filters ;;
	FILE)
		if [[ -n $prefix ]]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			compopt -o filenames
		fi
		;;
	COMMAND) _bloomtool_words "create add check stats estimate union intersect import export recover help" ;;
	[[:lower:]]*) _bloomtool_words "$1" ;;
	*) compopt +o default ;;
	esac
}

# The words before the cursor: sets option, if one waits for its value, operands
# to those that are left, and ended after --.
_bloomtool_walk()
{
	local word letters form

	for word in "${COMP_WORDS[@]:2:COMP_CWORD - 2}"; do
		form=
		if [[ -n $option ]]; then
			[[ $word == = ]] || option=
		elif [[ -n $ended || $word != -?* ]]; then
			[[ ${operands%% *} == *... ]] ||
				operands=${operands#"${operands%% *}"}
			operands=${operands# }
		elif [[ $word == -- ]]; then
			ended=1
		elif [[ $word == --* ]]; then
			form=${word%%=*}
			[[ -z ${takes[$word]-} ]] || option=$word
		else
			letters=${word#-}
			while [[ -n $letters &&
			    -z ${takes[-${letters:0:1}]-} ]]; do
				letters=${letters#?}
			done
			form=${letters:+-${letters:0:1}}
			[[ ${#letters} != 1 ]] || option=$form
		fi
		if [[ -n $form && " $instead " == *" $form "* ]]; then
			operands=${operands#FILTER } instead=
		fi
	done
}

_bloomtool()
{
	local cur=${COMP_WORDS[COMP_CWORD]}
	local operands='' options='' instead='' names='' option='' ended=''
	local forms value name prefix='' IFS=$' \t\n'
	local -A takes=()

	if ((COMP_CWORD == 1)); then
		_bloomtool_words "create add check stats estimate union intersect import export recover help -V --version -h --help"
		return
	fi
	_bloomtool_takes "${COMP_WORDS[1]}"
	while read -r forms value; do
		for name in ${forms//,/ }; do
			takes[$name]=$value
			names+="$name "
		done
	done <<< "$options"
	_bloomtool_walk
	# Some take = out of COMP_WORDBREAKS.
	if [[ -z $option && -z $ended && $cur == --*=* ]]; then
		option=${cur%%=*} prefix=${cur%%=*}= cur=${cur#*=}
	fi
	[[ $cur != = ]] || cur=
	if [[ -n $option ]]; then
		_bloomtool_complete "${takes[$option]-}"
		[[ -z $prefix ]] || COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
	elif [[ -z $ended && ($cur == -* || -z $operands) ]]; then
		compopt +o default
		_bloomtool_words "$names"
	else
		value=${operands%% *}
		_bloomtool_complete "${value%...}"
	fi
}

complete -o default -F _bloomtool bloomtool
