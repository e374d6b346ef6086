#!/bin/sh
# as-root.sh TARGET: says why a target needs root, and fails if it cannot be had.
set -eu

if [ "$(id -u)" -eq 0 ]; then
	exit 0
fi
case $1 in
bench) why="makes network namespaces, loads BPF programs and pins kernel threads" ;;
test) why="makes network namespaces, loads BPF programs and measures rates" ;;
*) why="makes network namespaces and loads BPF programs" ;;
esac
if command -v sudo >/dev/null 2>&1; then
	echo "make $1 $why, so it runs its programs through sudo."
	exit 0
fi
echo "make $1: it $why, which needs root, and sudo is not installed." >&2
echo "Run it as root: su -c 'make $1'" >&2
exit 3
