#!/usr/bin/env bash
# Runs study.py with submitit's executors for this machine: debug, and local. With local it preempts one job, kills the milbench
# of another and loses a third. The results must equal those of one undisturbed run.
#
#   deploy/submitit/test.sh
#
# GOMLX_BACKEND names the backend (go). LIMIT (3600) is the longest wait in seconds. The test installs the packages of
# requirements.txt into its own environment.
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
	[ "$status" -eq 0 ] || tail -n 30 "$scratch"/log "$scratch"/submitit-logs/*.{err,out} >&2 2>/dev/null || true
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
cp deploy/samelines.sh "$scratch/bin/samelines"
export PATH=$scratch/bin:$PATH GOMLX_BACKEND=${GOMLX_BACKEND:-go}
cd "$scratch"
limit=${LIMIT:-3600}
study=(run musk1 "--pooling=softmax,syn" "--iterations=-3,3" --width=16 --epochs=5 --folds=4 --repeats=3 --curves)
study() { "$scratch/venv/bin/python" "$here/study.py" --cores 1 "$@"; }

milbench "${study[@]}" --out one >log 2>&1 || fail 'the undisturbed run failed'

# same DIR: whether a folder has the results of the undisturbed run.
same() {
	samelines one "$1"
	for format in md csv tex json; do
		cmp <(milbench table one --format "$format" 2>/dev/null) <(milbench table "$1" --format "$format" 2>/dev/null) ||
			fail "the tables of $1 are others than those of one run"
	done
}

study --cluster debug --shards 2 --out debug -- "${study[@]}" >log 2>&1 || fail 'the debug executor failed'
same debug

# A shard that is refused ends nothing, and the last job runs the same command.
cat >bin/refusing <<'END'
#!/bin/sh
echo "$*" >>calls
case "$*" in *'--shard 1/2') exit 2 ;; *'--shard none') echo table && exit 1 ;; esac
END
chmod +x bin/refusing
status=0
study --cluster debug --shards 2 --out debug --milbench bin/refusing -- study iterations --quick >log 2>&1 || status=$?
[ "$status" -eq 1 ] || fail "milbench ended with 1, and study.py with $status"
grep -qx table log || fail 'the table is not printed'
for shard in 0/2 1/2 none; do echo "study iterations --quick --out debug --cores 1 --shard $shard"; done | cmp - calls ||
	fail 'other commands were run'

study --cluster local --shards 3 --out local -- "${study[@]}" >log 2>&1 &
runner=$!
# victim: pauses a milbench that has finished a fit, and prints its process.
victim() {
	local end=$((SECONDS + limit)) exe process file
	while [ "$SECONDS" -lt "$end" ] && kill -0 "$runner" 2>/dev/null; do
		while read -r exe; do
			process=${exe#/proc/} process=${process%/exe}
			kill -STOP "$process" 2>/dev/null || continue
			for file in /proc/"$process"/fd/*; do
				file=$(readlink "$file") || continue
				case $file in "$scratch"/local/*/results.jsonl) [ ! -s "$file" ] || { echo "$process" && return; } ;; esac
			done
			kill -CONT "$process"
		done < <(find /proc/[0-9]* -maxdepth 1 -name exe -lname "$scratch/bin/milbench" 2>/dev/null)
		sleep 0.1
	done
	fail 'no shard was found at work'
}
# over PROCESS WHAT: waits until a process ends.
over() {
	local end=$((SECONDS + limit))
	while readlink "/proc/$1/exe" >/dev/null; do
		[ "$SECONDS" -lt "$end" ] || fail "$2"
		sleep 0.1
	done
}
job() { sed -n 's/^PPid:\t//p' "/proc/$1/status"; }

process=$(victim)
kill -USR2 "$(job "$process")" # like submitit before the time limit, and Slurm at a preemption
kill -CONT "$process"
over "$process" 'milbench outlasts the preemption of its job'
process=$(victim)
kill -KILL "$process"
over "$process" 'milbench outlasts its killing'
process=$(victim)
kill -KILL "$(job "$process")"
over "$process" 'milbench is at work without its job'
wait "$runner" || fail 'the local executor failed'
runner=
grep -q 'Requeued job' submitit-logs/* || fail 'the job that was preempted was not queued again'
grep -q 'once more: shards \[' log || fail 'nothing was tried again'
grep -qF "$(milbench table local 2>/dev/null | tail -n 1)" log || fail 'the table is not printed'
grep -q 'was lost' log || fail 'no job was lost'
same local
