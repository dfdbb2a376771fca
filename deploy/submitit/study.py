"""Runs a study as an array of submitit jobs, one per shard, merges their results and prints the table.

    python study.py --shards 12 --out results -- study --plan plan.json
    python study.py --shards 12 --out results --cluster local -- run musk1 --repeats 5

The first command runs on Slurm, the second on this machine. After -- come the arguments of milbench run or milbench study,
without --out; the name of a study comes first.
"""

import argparse
import contextlib
import json
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
    """One shard of a study. Calling it runs milbench and returns its exit status."""

    def __init__(self, milbench, arguments, shard):
        self.command = [milbench, *arguments, "--shard", shard]
        self.process = None

    def __call__(self):
        self.process = subprocess.Popen([*leash(), *self.command])
        code = self.process.wait()
        return code if code >= 0 else 128 - code

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
    """The exit status of a job's shard; a lost job counts as killed."""
    try:
        return job.result()
    except (submitit.core.utils.UncompletedJobError, submitit.core.utils.FailedJobError) as lost:
        print(f"study.py: job {job.job_id} was lost: {str(lost).splitlines()[0]}", file=sys.stderr)
        return 137


def results(out, arguments):
    """The results folder below out: milbench study writes one per experiment."""
    command, *rest = arguments
    if command != "study":
        return out
    parser = argparse.ArgumentParser()
    parser.add_argument("name", nargs="?")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--plan")
    asked, _ = parser.parse_known_args(rest)
    if asked.plan:
        with open(asked.plan, encoding="utf-8") as file:
            request = json.load(file)["request"]
        asked.name, asked.quick = request.get("experiment"), request.get("quick", False)
    return os.path.join(out, (asked.name or "") + ("-quick" if asked.quick else ""))


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
    arguments = [*options.arguments, "--out", options.out, "--cores", str(options.cores)]
    folder = results(options.out, options.arguments)

    # Failed fits (1) had their three tries, and wrong use (2) cannot succeed: retry only the others.
    left, wrong = list(range(options.shards)), False
    for _ in range(TRIES):
        shards = [Shard(options.milbench, arguments, f"{i}/{options.shards}") for i in left]
        codes = [outcome(job) for job in executor.submit_array(shards)]
        if 2 in codes:
            wrong = True
            print(f"study.py: wrong use or unreadable input: see {options.logs}", file=sys.stderr)
        left = [i for i, code in zip(left, codes) if code == RETRIED or code > 128]
        if not left:
            break
        print(f"study.py: once more: shards {left}", file=sys.stderr)

    merged = subprocess.run([options.milbench, "merge", folder, "--out", folder], check=False).returncode
    if merged == 0:
        subprocess.run([options.milbench, "table", folder], check=True)
    return 2 if wrong and merged else merged


if __name__ == "__main__":
    sys.exit(main())
