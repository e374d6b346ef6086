#!/usr/bin/env bash
# generated-is-current.sh: compiles the BPF programs and QEMU's plugin again, in a copy
# of the repository, and compares objects and Go bindings byte for byte with those that
# are checked in.
set -euo pipefail

cd "$(dirname "$0")/.."
GO=${GO:-go}

# bpf2go is told to use clang-14, so another clang on the machine changes nothing.
# Debian's 14.0.6 wrote the files that are checked in.
if ! command -v clang-14 >/dev/null || ! command -v llvm-strip-14 >/dev/null; then
	echo "clang-14 or llvm-strip-14 is missing; install them with: make setup-generate"
	exit 1
fi

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tar --create --exclude=./.git --exclude=./bin --exclude=./runs --exclude='./linerate-*' . | tar --extract --directory "$copy"

mapfile -t folders < <(cd "$copy" && grep -rlE --include='*.go' '^//go:generate .*(bpf2go|clang-14)' . | xargs -r -n 1 dirname | sort -u)
if [ ${#folders[@]} -eq 0 ]; then
	echo "no go:generate line of a compiler was found; has this check become blind?"
	exit 1
fi

shopt -s nullglob
stale=0
for folder in "${folders[@]}"; do
	(cd "$copy/$folder" && rm -f -- *_bpfel.go *_bpfel.o *.so && "$GO" generate .)
	for file in "$copy/$folder"/*_bpfel.* "$copy/$folder"/*.so; do
		if ! cmp -s "$file" "$folder/${file##*/}"; then
			echo "$folder/${file##*/} is not what its source compiles to; run: make generate"
			stale=1
		fi
	done
	for file in "$folder"/*_bpfel.* "$folder"/*.so; do
		if [ ! -e "$copy/$file" ]; then
			echo "$file is generated from nothing; remove it"
			stale=1
		fi
	done
done
if [ $stale -ne 0 ]; then
	clang-14 --version | head -n 1
	echo "If the sources did not change, the compiler did: another build of clang 14 may give other bytes."
	echo "The files in the repository come from Debian's clang 14.0.6; commit only what that one writes."
	exit 1
fi
