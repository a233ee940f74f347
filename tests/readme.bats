# Every command in README.md is run, and prints what README.md says.

load helper

# blocks LANGUAGE: the lines of README's code blocks of that language.
blocks() {
	awk -v start="^\`\`\`$1\$" '
		/^```/ { inside = $0 ~ start; next }
		inside' "$ROOT/README.md"
}

@test "the transcripts in README.md are what happens" {
	blocks console > wanted
	[ -s wanted ]
	mkdir work && cd work
	sed -n 's/^\$ //p' ../wanted > ../commands
	while IFS= read -r command; do
		printf '$ %s\n' "$command"
		eval "$command" 2>&1
	done < ../commands > ../got
	diff -u ../wanted ../got
}

@test "the set-up commands in README.md are targets that exist" {
	blocks sh > commands
	[ "$(wc -l < commands)" = 3 ]
	while read -r word target rest; do
		[ "$word" = sudo ] && target=${rest%% *}
		make -C "$ROOT" -n "$target" DESTDIR="$PWD/dest" > /dev/null
	done < commands
}

@test "the table of sizes in README.md is what estimate says" {
	local rates=(0.01 1e-3 1e-4 1e-6) exponent cells size i
	for exponent in 6 7 8 9 10; do
		IFS='|' read -ra cells < <(grep "^| 10^$exponent |" \
			"$ROOT/README.md")
		for i in 0 1 2 3; do
			size=$(bloomtool estimate -n "1e$exponent" \
				-p "${rates[i]}" | awk '/^size/ { print $2, $3 }')
			is " $size " "${cells[i + 2]}"
		done
	done
}
