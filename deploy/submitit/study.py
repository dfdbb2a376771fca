"""Runs a study as an array of submitit jobs, one per shard. A last job merges their results and trains what is missing.

    python study.py --shards 12 --out results -- study iterations
    python study.py --shards 12 --out results --cluster local -- run musk1 --repeats 5

The first command runs on Slurm, the second on this machine. After -- come the arguments of milbench run or milbench study,
without --out. The table is printed at the end.
"""

import argparse
import contextlib
import os
import subprocess
import sys

import submitit

RETRIED = 75  # exit status of milbench: try again
TRIES = 4


def leash():
    """A prefix that kills the command when this process dies, so it never runs beside the next attempt."""
    command = ["setpriv", "--pdeathsig", "KILL"]  # util-linux 2.33 or later
    try:
        subprocess.run([*command, "true"], check=True, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return []
    return command


class Shard:
    """One shard of a study. Calling it runs milbench and returns its exit status and what it prints, the table."""

    def __init__(self, command):
        self.command = command
        self.process = None

    def __call__(self):
        self.process = subprocess.Popen([*leash(), *self.command], stdout=subprocess.PIPE, encoding="utf-8")
        table, _ = self.process.communicate()
        code = self.process.returncode
        return code if code >= 0 else 128 - code, table

    def checkpoint(self):
        """Stops milbench before the time limit or a preemption. The next attempt skips finished fits.

        Submitit calls it from a signal handler, in the middle of __call__. There process.wait holds a lock, so a second
        process.wait would never return.
        """
        if self.process is not None:
            self.process.terminate()
            with contextlib.suppress(ChildProcessError):  # it has already ended
                os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
            self.process = None
        return submitit.helpers.DelayedSubmission(self)


def outcome(job):
    """The exit status of a job's shard, and its table; a lost job counts as killed."""
    try:
        return job.result()
    except (submitit.core.utils.UncompletedJobError, submitit.core.utils.FailedJobError) as lost:
        print(f"study.py: job {job.job_id} was lost: {str(lost).splitlines()[0]}", file=sys.stderr)
        return 137, ""


def train(executor, command, shards):
    """Runs shards as an array, and again where that can help. Returns the last exit status and the table."""
    for _ in range(TRIES):
        outcomes = [outcome(job) for job in executor.submit_array([Shard([*command, "--shard", s]) for s in shards])]
        # Failed fits (1) had their three tries, and wrong use (2) cannot succeed.
        shards = [s for s, (code, _) in zip(shards, outcomes) if code == RETRIED or code > 128]
        if not shards:
            break
        print(f"study.py: once more: shards {shards}", file=sys.stderr)
    return outcomes[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shards", type=int, required=True)
    parser.add_argument("--out", required=True, help="folder of the results, on a file system that all nodes share")
    parser.add_argument("--milbench", default="milbench")
    parser.add_argument("--cluster", default="slurm", choices=["slurm", "local", "debug"])
    parser.add_argument("--logs", default="submitit-logs")
    parser.add_argument("--cores", type=int, default=2, help="of a shard")
    parser.add_argument("--minutes", type=int, default=120, help="time limit of an attempt")
    parser.add_argument("arguments", nargs="+")
    options = parser.parse_args()
    if options.shards < 1:
        parser.error(f"--shards {options.shards}: at least 1 is needed")

    executor = submitit.AutoExecutor(folder=options.logs, cluster=options.cluster)
    executor.update_parameters(
        name="milbench", timeout_min=options.minutes, cpus_per_task=options.cores, mem_gb=4 * options.cores
    )
    command = [options.milbench, *options.arguments, "--out", options.out, "--cores", str(options.cores)]
    train(executor, command, [f"{i}/{options.shards}" for i in range(options.shards)])
    code, table = train(executor, command, ["none"])  # merges, and trains what is missing
    print(table, end="")
    if code != 0:
        print(f"study.py: milbench ended with {code}: see {options.logs}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
