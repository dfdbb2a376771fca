#!/bin/bash
# Merges what the tasks of an array wrote and prints the table. What is missing it submits once more, with a merge behind
# it; what is missing then, that one says. Submit it behind the array, from the folder that deploy/ lies in:
#
#   array=$(sbatch --parsable --array=0-11 deploy/slurm/array.sh study --plan plan.json --out results)
#   sbatch --dependency=afterany:$array deploy/slurm/merge.sh results/iterations
#
# MILBENCH is the command, as for array.sh. After the folder stand sbatch's options and the script of the array, where they
# are others than deploy/slurm/array.sh: they are for the array that is submitted, not for the merge. What holds for both,
# such as an account, is exported before sbatch (SBATCH_ACCOUNT). With --last nothing is submitted.
#SBATCH --job-name=milbench-merge
#SBATCH --output=milbench-merge-%j.log
#SBATCH --open-mode=append
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=2G
#SBATCH --time=00:30:00
#SBATCH --requeue
set -eu

last=
if [ "${1:-}" = --last ]; then
	last=1
	shift
fi
if [ $# -eq 0 ]; then
	echo 'merge.sh: usage: sbatch --dependency=afterany:JOB deploy/slurm/merge.sh [--last] DIR [SBATCH OPTIONS... SCRIPT]' >&2
	exit 2
fi
dir=$1
shift
[ $# -gt 0 ] || set -- deploy/slurm/array.sh
read -ra milbench <<<"${MILBENCH:-milbench}"

code=0
"${milbench[@]}" merge "$dir" --out "$dir" || code=$?
if [ "$code" -eq 0 ]; then
	exec "${milbench[@]}" table "$dir"
fi
if [ "$code" -ne 1 ] || [ ! -f "$dir/missing.json" ]; then
	exit "$code" # nothing that another attempt would mend
fi
if [ -n "$last" ]; then
	echo "merge.sh: $dir is still not complete after a second array: see above and the logs of the tasks" >&2
	exit "$code"
fi
plan=$(head -n 1 "$dir/missing.json") # all but the fits
shards=$(grep -o '"shards":[0-9]*' <<<"$plan" | cut -d: -f2)
command=run out=$dir
if grep -q '"experiment":' <<<"$plan"; then
	command=study out=$(dirname "$dir")
fi
mine=$dir/missing-${SLURM_JOB_ID:-$$}.json # another merge may write missing.json anew, or remove it
cp "$dir/missing.json" "$mine"
array=$(sbatch --parsable --array="0-$((shards - 1))" "$@" "$command" --plan "$mine" --out "$out") || {
	echo "merge.sh: what is missing in $dir could not be submitted; the options of the array are those after the folder" >&2
	exit "$code"
}
merge=$(sbatch --parsable --dependency="afterany:$array" deploy/slurm/merge.sh --last "$dir" "$@")
echo "merge.sh: what is missing in $dir was submitted as the array $array, with the merge $merge behind it" >&2
