#!/usr/bin/env bash
# Runs study.py with submitit's executors for this machine: debug, and local with one shard's milbench killed and the job of
# another lost; the results are those of one undisturbed run.
#
#   deploy/submitit/test.sh
#
# GOMLX_BACKEND names the backend (go). The packages of requirements.txt are installed into an environment of the test.
set -euo pipefail
cd "$(dirname "$0")/../.."

here=$PWD/deploy/submitit
scratch=$(mktemp -d)
runner=
cleanup() {
	local status=$?
	trap - EXIT
	if [ -n "$runner" ]; then
		kill "$runner" 2>/dev/null || true
		wait "$runner" || true
	fi
	[ "$status" -eq 0 ] || tail -n 30 "$scratch"/log "$scratch"/submitit-logs/*.err >&2 2>/dev/null || true
	rm -rf "$scratch"
	exit "$status"
}
trap cleanup EXIT

fail() {
	printf 'deploy/submitit/test.sh: %s\n' "$1" >&2
	exit 1
}

python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet --require-hashes --only-binary=:all: -r "$here/requirements.txt"
mkdir "$scratch/bin"
go build -o "$scratch/bin/milbench" ./cmd/milbench
(cd deploy && go build -o "$scratch/bin/samelines" ./samelines)
export PATH=$scratch/bin:$PATH GOMLX_BACKEND=${GOMLX_BACKEND:-go}
cd "$scratch"
study=(run musk1 "--pooling=softmax,syn" "--iterations=-3,3" --width=16 --epochs=5 --folds=4 --repeats=3 --curves)
study() { "$scratch/venv/bin/python" "$here/study.py" --cores 1 "$@" -- "${study[@]}"; }

milbench "${study[@]}" --out one >log 2>&1 || fail 'the undisturbed run failed'

# same DIR: whether a folder has the results of the undisturbed run.
same() {
	samelines one "$1"
	for format in md csv tex json; do
		cmp <(milbench table one --format "$format" 2>/dev/null) <(milbench table "$1" --format "$format" 2>/dev/null) ||
			fail "the tables of $1 are others than those of one run"
	done
}

study --cluster debug --shards 2 --out debug >log 2>&1 || fail 'the debug executor failed'
same debug

study --cluster local --shards 3 --out local >log 2>&1 &
runner=$!
# victim: a process of milbench that has finished a fit.
victim() {
	local exe process file
	for _ in {1..3000}; do
		kill -0 "$runner" 2>/dev/null || break
		while read -r exe; do
			process=${exe#/proc/} process=${process%/exe}
			for file in /proc/"$process"/fd/*; do
				file=$(readlink "$file") || continue
				case $file in "$scratch"/local/*/results.jsonl) [ ! -s "$file" ] || { echo "$process" && return; } ;; esac
			done
		done < <(find /proc/[0-9]* -maxdepth 1 -name exe -lname "$scratch/bin/milbench" 2>/dev/null)
		sleep 0.1
	done
	fail 'no shard was found at work'
}
process=$(victim)
kill -KILL "$process"
until ! readlink "/proc/$process/exe" >/dev/null; do sleep 0.1; done
process=$(victim)
kill -STOP "$process"
kill -KILL "$(sed -n 's/^PPid:\t//p' "/proc/$process/status")"
for _ in {1..100}; do
	readlink "/proc/$process/exe" >/dev/null || break
	sleep 0.1
done
! readlink "/proc/$process/exe" >/dev/null || fail 'milbench is at work without its job'
wait "$runner" || fail 'the local executor failed'
runner=
grep -q 'once more: shards \[' log || fail 'nothing was tried again'
grep -q 'was lost' log || fail 'no job was lost'
same local
