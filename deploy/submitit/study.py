"""Runs a study as an array of submitit's jobs, a shard each, merges what they wrote and prints the table.

    python study.py --shards 12 --out results -- study --plan plan.json
    python study.py --shards 12 --out results --cluster local -- run musk1 --repeats 5

The first on Slurm, the second on this machine. What stands after -- are the arguments of milbench run or milbench study,
without --out; the name of a study stands first.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys

import submitit

RETRIED = 75  # of milbench: try again
TRIES = 4


def leash():
    """A command that has the one after it killed with this process, so that it never works beside the next attempt."""
    command = ["setpriv", "--pdeathsig", "KILL"]  # of util-linux from 2.33
    try:
        subprocess.run([*command, "true"], check=True, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return []
    return command


class Shard:
    """One shard of a study; called, it returns milbench's exit code."""

    def __init__(self, milbench, arguments, shard):
        self.command = [milbench, *arguments, "--shard", shard]
        self.process = None

    def __call__(self):
        self.process = subprocess.Popen([*leash(), *self.command])
        code = self.process.wait()
        return code if code >= 0 else 128 - code

    def checkpoint(self):
        """Ends milbench before the time limit or a preemption. The next attempt skips the fits that are done.

        Submitit calls it from a signal handler, in the midst of __call__: process.wait, which holds a lock there, would
        never return here.
        """
        if self.process is not None:
            self.process.terminate()
            with contextlib.suppress(ChildProcessError):  # it has ended already
                os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
            self.process = None
        return submitit.helpers.DelayedSubmission(self)


def outcome(job):
    """The exit code of a job's shard; of a job that was lost, that of a kill."""
    try:
        return job.result()
    except (submitit.core.utils.UncompletedJobError, submitit.core.utils.FailedJobError) as lost:
        print(f"study.py: job {job.job_id} was lost: {str(lost).splitlines()[0]}", file=sys.stderr)
        return 137


def results(out, arguments):
    """The folder of the results below out: milbench study has one for each experiment."""
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

    # Failed fits (1) had their three tries and wrong use (2) stays wrong: only what may go better is tried again.
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
