"""Runs notebooks in the Go kernel without a browser and saves them as they are committed.

A saved notebook has nothing in it that differs from run to run by itself: no times, no versions, no settings of a browser;
outputs are text, tables as HTML, and figures as SVG and PNG; of metadata a cell keeps its tags, lesson, plumbing or test, and the code of the last two is folded. What programs write to standard error is printed, not saved. A notebook that fails is left as
it was. It runs in an empty folder, which is removed, and its metadata have the sum of the code that made its outputs. With --check it runs in the
folder of the notebook, saves nothing, and reports where text and numbers differ from what is saved. Called by notebooks/lab --execute and --check and by the tests.
"""

import argparse
import hashlib
import os
import pathlib
import platform
import re
import sys
import tempfile
import time

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

KINDS = ("text/plain", "text/html", "image/svg+xml", "image/png")
TAGS = ("lesson", "plumbing", "test")
FOLDED = ("plumbing", "test")
WIDGETS = "gonb_comm"
LASTED = re.compile(r"^(\d+ fits )?trained in \S+\n", re.MULTILINE)


def text(value):
    """A text of a notebook, whether saved as one string or as lines."""
    return value if isinstance(value, str) else "".join(value)


def normalised(outputs):
    """Outputs of a cell as they are saved: text that was written in pieces joined, figures with nothing but their width."""
    kept = []
    for output in outputs:
        if output.output_type == "stream":
            if output.name != "stdout":
                continue
            said = LASTED.sub("", text(output.text))
            if kept and kept[-1].output_type == "stream":
                kept[-1].text += said
            elif said.strip():
                kept.append(nbformat.v4.new_output("stream", name="stdout", text=said))
        elif output.output_type in ("display_data", "execute_result"):
            data = {kind: text(output.data[kind]).strip() for kind in KINDS if kind in output.data}
            if list(output.data) == ["text/html"] and (not data["text/html"] or WIDGETS in data["text/html"]):
                continue  # a line of progress that was taken away, or what the kernel sends before the first control
            if not data:
                raise ValueError(f"it shows {', '.join(output.data)}, and only text, HTML, SVG and PNG are saved")
            width = output.metadata.get("image/png", {}).get("width")
            metadata = {"image/png": {"width": width}} if width else {}
            kept.append(nbformat.v4.new_output("display_data", data=data, metadata=metadata))
        else:
            raise ValueError(f"it ends in an output of kind {output.output_type}")
    return kept


def processor():
    """The kind of processor: XLA rounds last digits differently with and without AVX-512, and a training makes them first ones."""
    kind = platform.machine()
    try:
        flags = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return kind
    if kind == "x86_64":
        kind += f" with{'' if ' avx512f' in flags else 'out'} AVX-512"
    return kind


def code(notebook):
    """The SHA-256 of the code cells."""
    sources = [text(cell.source) for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256("\0".join(sources).encode()).hexdigest()


def normalise(notebook):
    """Takes from a notebook what does not belong into a commit."""
    language = notebook.metadata.get("language_info", {})
    notebook.metadata = nbformat.from_dict({
        "kernelspec": {"display_name": "Go (gonb)", "language": "go", "name": "gonb"},
        "language_info": {key: language[key] for key in ("file_extension", "mimetype", "name") if key in language},
        "code_sha256": code(notebook),
        "processor": processor(),
    })
    for number, cell in enumerate(notebook.cells, 1):
        tags = [tag for tag in cell.metadata.get("tags", []) if tag in TAGS]
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        if any(tag in FOLDED for tag in tags):
            cell.metadata["jupyter"] = {"source_hidden": True}
        if cell.cell_type == "code":
            try:
                cell.outputs = normalised(cell.outputs)
            except ValueError as error:
                raise ValueError(f"cell {number}: {error}") from None


NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
DURATION = re.compile(r"\b(?:\d+h)?(?:\d+m)?\d+(?:\.\d+)?(?:ms|µs|s)\b")


def shown(cell):
    """What a cell shows, line by line, without how long a training took."""
    said = ""
    for output in cell.get("outputs", []):
        if output.output_type == "stream" and output.name == "stdout":
            said += text(output.text)  # a line can come in pieces
        elif output.output_type in ("display_data", "execute_result"):
            said += "\n" + text(output.data.get("text/plain", "")) + "\n"
    return [line.rstrip() for line in said.splitlines() if line.strip() and not LASTED.match(line + "\n")]


def differs(saved, now, tolerance):
    """Whether two lines differ in more than numbers within a tolerance, relative above 1, and durations."""
    saved, now = DURATION.sub("DURATION", saved), DURATION.sub("DURATION", now)
    if " ".join(NUMBER.sub("#", saved).split()) != " ".join(NUMBER.sub("#", now).split()):
        return True
    pairs = zip(map(float, NUMBER.findall(saved)), map(float, NUMBER.findall(now)))
    return any(abs(a - b) > tolerance * max(1, abs(a)) for a, b in pairs)


def words(lines):
    """The words of lines without their numbers, in order of the alphabet: a table that is sorted by a number may have its rows in another order."""
    numbers = (NUMBER.sub("#", DURATION.sub("DURATION", line)) for line in lines)
    return sorted(word.strip(",.;:()") for line in numbers for word in line.split() if set(word) - set("#-–,.;%():"))


def check(path, timeout, tolerance):
    """Runs the notebook at path in its folder and returns where its text and numbers differ from what is saved, one line each. On another
    kind of processor than that of the saved outputs, numbers may differ, because trainings do: they are counted, and words must agree."""
    saved = nbformat.read(path, as_version=4)
    if not any(cell.get("outputs") for cell in saved.cells if cell.cell_type == "code"):
        return ["it has no outputs to compare with; save it with them first"]
    now, found, others, lines = run(path, timeout, path.parent), [], 0, 0
    elsewhere = saved.metadata.get("processor", processor()) != processor()
    for number, (old, new) in enumerate(zip(saved.cells, now.cells), 1):
        if old.cell_type != "code":
            continue
        before, after = shown(old), shown(new)
        if len(before) != len(after):
            found.append(f"cell {number} shows {len(after)} lines, {len(before)} are saved")
        if elsewhere:
            others += sum(differs(a, b, tolerance) for a, b in zip(before, after))
            lines += len(before)
            lost = [word for word in words(before) if word not in words(after)]
            if lost:
                found.append(f"cell {number} no longer shows {' '.join(lost[:5])}")
            continue
        found += [f"cell {number} shows {b.strip()!r}, {a.strip()!r} is saved" for a, b in zip(before, after) if differs(a, b, tolerance)][:3]
    if elsewhere:
        print(f"{path.name}: {others} of {lines} lines have other numbers on this {processor()}; saved on {saved.metadata.processor}, and trainings "
              "differ between the two", file=sys.stderr)
    return found


def run(path, timeout, folder=None):
    """Runs the notebook at path in a folder, else in an empty one, and returns it with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
            cell.execution_count = None
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as store:
        os.environ["SYNPOOL_STORE"] = store  # nothing is found again that another run has computed
        NotebookClient(
            notebook,
            kernel_name="gonb",
            timeout=timeout,
            record_timing=False,
            resources={"metadata": {"path": str(folder or empty)}},
        ).execute()
    for number, cell in enumerate(notebook.cells, 1):
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr":
                print(f"{path.name}: cell {number} wrote to standard error: {text(output.text).strip()}", file=sys.stderr)
    return notebook


def execute(path, target, timeout):
    """Runs the notebook at path and saves it at target, whole or not at all."""
    notebook = run(path, timeout)
    normalise(notebook)
    nbformat.validate(notebook)
    part = tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=target.parent, prefix=".", suffix=".part", delete=False)
    try:
        with part:
            nbformat.write(notebook, part)
        os.chmod(part.name, 0o644)
        os.replace(part.name, target)
    except BaseException:
        os.unlink(part.name)
        raise


def main():
    parser = argparse.ArgumentParser(description="Run notebooks and save them with their outputs.")
    parser.add_argument("notebooks", metavar="NOTEBOOK", nargs="+", type=pathlib.Path)
    parser.add_argument("--output-dir", metavar="DIR", type=pathlib.Path, help="save there instead of in place")
    parser.add_argument("--timeout", metavar="SECONDS", type=int, default=600, help="for one cell (default %(default)s)")
    parser.add_argument("--check", action="store_true", help="save nothing: compare what they show with what is saved")
    parser.add_argument("--tolerance", metavar="X", type=float, default=1e-3, help="of numbers, relative above 1 (default %(default)s)")
    arguments = parser.parse_args()
    if arguments.check and arguments.output_dir:
        parser.error("--check saves nothing: leave --output-dir out")
    failed = False
    for path in arguments.notebooks:
        start = time.monotonic()
        path = path.absolute()
        try:
            if arguments.check:
                found = check(path, arguments.timeout, arguments.tolerance)
                for line in found:
                    print(f"{path.name}: {line}", file=sys.stderr)
                failed = failed or bool(found)
            else:
                execute(path, (arguments.output_dir or path.parent).absolute() / path.name, arguments.timeout)
        except (CellExecutionError, CellTimeoutError, DeadKernelError, OSError, ValueError, nbformat.ValidationError) as error:
            print(f"{path.name}: {str(error).strip()}", file=sys.stderr)
            failed = True
            continue
        print(f"{path.name}: {time.monotonic() - start:.1f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
