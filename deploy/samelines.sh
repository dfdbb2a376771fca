#!/usr/bin/env bash
# Compares the results of two folders of milbench, and their curves: the same lines in any order, ignoring the times of the fits.
# It prints the lines that one folder has alone and exits with status 1 if there are any.
#
#   deploy/samelines.sh DIR DIR
set -euo pipefail

# lines FILE: its lines in order, without the times.
lines() {
	[ -z "$(tail -c 1 "$1")" ] || printf 'the last line of %s is torn\n' "$1"
	sed 's/"wall_s":[^,}]*//' "$1" | LC_ALL=C sort
}

[ -s "$1/results.jsonl" ] || { printf '%s holds no results\n' "$1" >&2 && exit 2; }
for file in results.jsonl curves.jsonl; do
	if [ -e "$1/$file" ] || [ -e "$2/$file" ]; then
		diff <(lines "$1/$file") <(lines "$2/$file")
	fi
done
printf '%d results are the same in %s and %s\n' "$(wc -l <"$1/results.jsonl")" "$1" "$2"
