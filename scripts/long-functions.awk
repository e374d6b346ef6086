# long-functions.awk: names the functions of gofmt's Go that have more than `max`
# lines, from their first to their closing brace; exits with 1 if there is one.
#
# gofmt puts "func" and the closing brace of a function, and nothing else within
# it but a raw string's text, at the start of a line.

FNR == 1 { start = 0 }

/^func / {
	start = FNR
	name = $0
	sub(/ *{.*/, "", name)
	if (/}$/ && !/{$/) start = 0 # it is on one line
}

start && /^}/ {
	lines = FNR - start + 1
	if (lines > max) {
		printf "%s:%d: %d lines; the limit is %d: divide it: %s\n", FILENAME, start, lines, max, name
		bad = 1
	}
	start = 0
}

END { exit bad }
