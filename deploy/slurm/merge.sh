#!/bin/bash
# Merges the results of an array and prints the table. If fits are missing, it submits them once more, followed by another
# merge, which reports fits that are still missing. Submit it after the array, from the folder that contains deploy/:
#
#   array=$(sbatch --parsable --array=0-11 deploy/slurm/array.sh study --plan plan.json --out results)
#   sbatch --dependency=afterany:$array deploy/slurm/merge.sh results/iterations
#
# MILBENCH is the command, as for array.sh. If the array used sbatch options or another script than deploy/slurm/array.sh,
# give them after the folder: they apply to the new array, not to the merge. Export settings for both, such as an account,
# before sbatch (SBATCH_ACCOUNT). --last submits nothing.
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
	exit "$code" # a retry cannot help
fi
if [ -n "$last" ]; then
	echo "merge.sh: $dir is still not complete after a second array: see above and the logs of the tasks" >&2
	exit "$code"
fi
plan=$(head -n 1 "$dir/missing.json") # everything except the fits
shards=$(grep -o '"shards":[0-9]*' <<<"$plan" | cut -d: -f2)
command=run out=$dir
if grep -q '"experiment":' <<<"$plan"; then
	command=study out=$(dirname "$dir")
fi
mine=$dir/missing-${SLURM_JOB_ID:-$$}.json # another merge may rewrite or remove missing.json
cp "$dir/missing.json" "$mine"
array=$(sbatch --parsable --array="0-$((shards - 1))" "$@" "$command" --plan "$mine" --out "$out") || {
	echo "merge.sh: what is missing in $dir could not be submitted; the options of the array are those after the folder" >&2
	exit "$code"
}
merge=$(sbatch --parsable --dependency="afterany:$array" deploy/slurm/merge.sh --last "$dir" "$@")
echo "merge.sh: what is missing in $dir was submitted as the array $array, with the merge $merge behind it" >&2
