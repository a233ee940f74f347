#!/usr/bin/env zsh
# complete.zsh FOLDER LINE...: for each line what an interactive zsh, whose
# completions are in FOLDER, lists when Tab is pressed behind it, with one blank
# for several, and then, after "> ", the line as it stands.
emulate -R zsh
setopt extended_glob
zmodload zsh/zpty || exit 2
folder=$1
shift

# until_said MARK: reads on until the child has said so; all of it is in seen.
until_said() {
	local text
	seen=
	while [[ $seen != *$1* ]]; do
		zpty -r child text || exit 2
		seen+=$text
	done
}

zpty child 'stty rows 200 cols 200; TERM=xterm zsh -f -i'
# Of the marks, what is echoed is not what is said.
zpty -w child "{
PS1= LISTMAX=0 fpath=(${(q)folder} \$fpath)
autoload -Uz compinit; compinit -D; unsetopt auto_menu list_ambiguous
zle-line-init() { print 're'ady }
ask() {
	print 'be'gin
	zle expand-or-complete
	zle -R
	print -r $'\n> '\$BUFFER
	print 'e'nd
	zle kill-buffer
}
zle -N zle-line-init; zle -N ask; bindkey '^T' ask
}"
until_said ready
for line; do
	zpty -w -n child $line$'\C-T'
	until_said end$'\r'
	seen=${${${seen#*begin}%end*}//$'\r'/}
	# A list stands between two moves of the cursor.
	list=${${seen##*$'\e[J'}%%$'\e['[0-9]#A*}
	if [[ $seen == *$'\e[J'* ]]; then
		print -r -- ${${list//$'\e['[0-9;]#[A-Za-z]/}// ##/ }
	fi
	print -rn -- '>'${seen##*$'\n>'}
done
zpty -d child
