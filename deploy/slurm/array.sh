#!/bin/bash
# Runs one shard of a study in each task of a job array. Without --array, the same line merges what the tasks have trained,
# trains what is missing and prints the table. Submit both from the folder that contains deploy/:
#
#   array=$(sbatch --parsable --array=0-11 deploy/slurm/array.sh study iterations --out results)
#   sbatch --dependency=afterany:$array --output=milbench-%j.log deploy/slurm/array.sh study iterations --out results
#
# The arguments go to milbench, which takes its shard from the array. MILBENCH is the command, words separated by spaces, such
# as /opt/bin/milbench. MILBENCH_RESTARTS (5) is the maximum number of requeues of a task.
#SBATCH --job-name=milbench
#SBATCH --output=milbench-%A_%a.log
#SBATCH --open-mode=append
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --mem-per-cpu=4G
#SBATCH --time=02:00:00
#SBATCH --requeue
#SBATCH --signal=B:USR1@120
set -u

if [ -z "${SLURM_JOB_ID:-}" ] || [ $# -eq 0 ]; then
	echo 'array.sh: usage: sbatch [--array=0-11] deploy/slurm/array.sh run|study ... --out DIR' >&2
	exit 2
fi
task=${SLURM_ARRAY_TASK_ID:+${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID}
task=${task:-$SLURM_JOB_ID} # not of an array
read -ra milbench <<<"${MILBENCH:-milbench}"
echo "== task $task, attempt $((${SLURM_RESTART_COUNT:-0} + 1)), on ${SLURMD_NODENAME:-?}" >&2

# If this script dies for any reason, the child is killed, so it never runs beside the next attempt.
leash=(setpriv --pdeathsig KILL)
"${leash[@]}" true 2>/dev/null || leash=() # not available before util-linux 2.33
child=
near_limit=
stopped=
forward() { [ -z "$child" ] || kill -TERM "$child" 2>/dev/null; }
trap 'near_limit=1; forward' USR1 # from --signal, to this script only
trap 'stopped=1; forward' TERM    # from scancel, preemption, scontrol requeue; Slurm may send it to the child, too
# Bash before 4.4 treats an empty array as unset.
${leash[@]+"${leash[@]}"} "${milbench[@]}" "$@" --cores "${SLURM_CPUS_PER_TASK:-1}" &
child=$!
[ -z "$near_limit$stopped" ] || forward
while kill -0 "$child" 2>/dev/null; do wait "$child"; done # a signal interrupts wait
wait "$child"
code=$?

# Requeue after 75 (try again), a kill (128 + signal) and near the time limit. If Slurm stops a job, Slurm requeues it. A
# failed fit (1) had its three tries; wrong use (2) cannot succeed.
if [ -z "$stopped" ] && { [ "$code" -eq 75 ] || [ "$code" -gt 128 ]; }; then
	if [ "${SLURM_RESTART_COUNT:-0}" -lt "${MILBENCH_RESTARTS:-5}" ]; then
		echo "array.sh: task $task ended with $code: back to the queue" >&2
		scontrol requeue "$task"
	else
		echo "array.sh: task $task ended with $code after ${SLURM_RESTART_COUNT:-0} restarts: given up" >&2
	fi
fi
exit "$code"
