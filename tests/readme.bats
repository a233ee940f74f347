# Every command in README.md is run, and prints what README.md says.

load helper

@test "the transcripts in README.md are what happens" {
	transcript README.md
}

@test "the set-up commands in README.md are targets that exist" {
	blocks sh README.md > commands
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
