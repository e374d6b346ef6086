#!/usr/bin/env bash
# lint.sh: every check that needs no root and no network device. All checks run,
# whatever the first ones say; the exit code is 1 if any of them failed.
set -uo pipefail

cd "$(dirname "$0")/.." || exit
GO=${GO:-go}
MAX_LINES=700
MAX_FUNCTION_LINES=80
failed=()

# check NAME COMMAND...: runs one check and remembers if it failed.
check() {
	local name=$1 start=$SECONDS
	shift
	if "$@"; then
		echo "lint: $name: ok ($((SECONDS - start)) s)"
	else
		echo "lint: $name: FAILED" >&2
		failed+=("$name")
	fi
}

tool() { "$GO" tool -modfile=tools/go.mod "$@"; }

# sources PATTERN...: the files of these names that are written by hand.
sources() {
	local names=() pattern
	for pattern in "$@"; do
		names+=(-o -name "$pattern")
	done
	find . \( -name .git -o -name testdata -o -path ./bin -o -path ./runs -o -path './linerate-*' \) -prune -o \
		-type f \( "${names[@]:1}" \) -print0 |
		xargs -0r grep -LE '^// Code generated .* DO NOT EDIT\.$'
}

go_format() {
	local bad
	bad=$(sources '*.go' | xargs -r gofmt -l) || return 1
	if [ -n "$bad" ]; then
		echo "$bad"
		echo "not formatted; run gofmt -w on them"
		return 1
	fi
}

file_sizes() {
	sources '*.go' '*.c' '*.h' '*.sh' '*.js' '*.css' '*.gohtml' '*.yaml' '*.md' Makefile | xargs -r wc -l |
		awk -v max=$MAX_LINES '$2 != "total" && $1 > max { print $2 ": " $1 " lines; the limit is " max ": divide it by concept"; bad = 1 } END { exit bad }'
}

function_sizes() {
	sources '*.go' | grep -v '_test\.go$' | xargs -r awk -v max=$MAX_FUNCTION_LINES -f scripts/long-functions.awk
}

shell_scripts() {
	if ! command -v shellcheck >/dev/null; then
		echo "shellcheck is not installed: shell scripts were not checked; install it with: make setup-lint"
		return 0
	fi
	shellcheck scripts/*.sh .ci/run
}

check gofmt go_format
check "file sizes" file_sizes
check "function sizes" function_sizes
check shellcheck shell_scripts
check "go.mod" "$GO" mod verify
check vet "$GO" vet ./...
check "import rules" tool depguard ./...
check staticcheck tool staticcheck ./...
check "generated BPF" scripts/generated-is-current.sh

if [ ${#failed[@]} -gt 0 ]; then
	printf 'lint: failed: %s\n' "$(IFS=,; echo "${failed[*]}")" >&2
	exit 1
fi
