"""Runs notebooks in the Go kernel without a browser and saves them as they are committed.

A saved notebook has nothing in it that differs from run to run by itself: no times, no versions, no settings of a browser;
outputs are text, tables as HTML, and PNG. What programs write to standard error is printed, not saved. A notebook that fails is left as
it was. It runs in an empty folder, which is removed, and its metadata say of which code its outputs are. Called by notebooks/lab --execute and by the tests.
"""

import argparse
import hashlib
import os
import pathlib
import sys
import tempfile
import time

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

KINDS = ("text/plain", "text/html", "image/png")


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
            if kept and kept[-1].output_type == "stream":
                kept[-1].text += text(output.text)
            else:
                kept.append(nbformat.v4.new_output("stream", name="stdout", text=text(output.text)))
        elif output.output_type in ("display_data", "execute_result"):
            data = {kind: text(output.data[kind]).strip() for kind in KINDS if kind in output.data}
            if list(output.data) == ["text/html"] and not data["text/html"]:
                continue  # a line of progress that was taken away
            if not data:
                raise ValueError(f"it shows {', '.join(output.data)}, and only text, HTML and PNG are saved")
            width = output.metadata.get("image/png", {}).get("width")
            metadata = {"image/png": {"width": width}} if width else {}
            kept.append(nbformat.v4.new_output("display_data", data=data, metadata=metadata))
        else:
            raise ValueError(f"it ends in an output of kind {output.output_type}")
    return kept


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
    })
    for number, cell in enumerate(notebook.cells, 1):
        cell.metadata = nbformat.NotebookNode()
        if cell.cell_type == "code":
            try:
                cell.outputs = normalised(cell.outputs)
            except ValueError as error:
                raise ValueError(f"cell {number}: {error}") from None


def execute(path, target, timeout):
    """Runs the notebook at path and saves it at target, whole or not at all."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
            cell.execution_count = None
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as store:
        os.environ["SYNPOOL_STORE"] = store  # nothing is found again that another run has computed
        NotebookClient(
            notebook,
            kernel_name="gonb",
            timeout=timeout,
            record_timing=False,
            resources={"metadata": {"path": folder}},
        ).execute()
    for number, cell in enumerate(notebook.cells, 1):
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr":
                print(f"{path.name}: cell {number} wrote to standard error: {text(output.text).strip()}", file=sys.stderr)
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
    arguments = parser.parse_args()
    failed = False
    for path in arguments.notebooks:
        start = time.monotonic()
        path = path.absolute()
        try:
            execute(path, (arguments.output_dir or path.parent).absolute() / path.name, arguments.timeout)
        except (CellExecutionError, CellTimeoutError, DeadKernelError, OSError, ValueError, nbformat.ValidationError) as error:
            print(f"{path.name}: {str(error).strip()}", file=sys.stderr)
            failed = True
            continue
        print(f"{path.name}: {time.monotonic() - start:.1f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
