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

@test "the pictures in README.md are what make pictures draws" {
	"$ROOT/bench/pictures" .
	grep -oE '[a-z/]+\.svg' "$ROOT/README.md" > pictures
	is "$(sed 's|.*/||' pictures | sort)" "$(printf '%s\n' *.svg)"
	while read -r picture; do
		cmp "${picture##*/}" "$ROOT/$picture" || {
			echo "see whether they are right after make pictures" >&2
			false
		}
	done < pictures
}

@test "the pictures are readable on light and dark pages, and load nothing" {
	for picture in "$ROOT"/bench/charts/*.svg; do
		python3 -c 'import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
ns = "{http://www.w3.org/2000/svg}"
style = root.find(ns + "style").text
assert "@media (prefers-color-scheme: dark)" in style
assert root.find(ns + "title").text
names = {e.tag.removeprefix(ns) for e in root.iter()}
assert names <= {"svg", "title", "style", "rect", "text", "line", "polyline",
    "circle"}, names
assert not {"href", "src"} & {a for e in root.iter() for a in e.attrib}
assert "url(" not in style and "@import" not in style' "$picture"
		(($(wc -c < "$picture") < 16384))
	done
}
