"""Checks the spelling of Markdown, of comments in Go, and of the text of notebooks with codespell. American spellings count as errors.

Without arguments all files of the repository are looked at. Code is left out. Words that are right are in spelling-words.txt.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import codespell_lib

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

GO = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|"(?:\\.|[^"\\\n])*"|`[^`]*`|\'(?:\\.|[^\'\\\n])+\'', re.S)
CODE = re.compile(r"^ *(?P<fence>`{3,}|~{3,}).*?^ *(?P=fence) *$|`[^`\n]+`|\]\([^)\n]*\)|https?://\S+|<[^>\n]*>", re.S | re.M)
QUOTED = re.compile(r'"[^"\n]*(?:\n[^"\n]*)?"')  # titles of papers, which are spelt as they are
IDENTIFIER = r"\b[a-z]+[A-Z]\w*|\b\w+\.\w+|\bcolor: "


def blank(text):
    """As many lines, and nothing in them."""
    return "\n" * text.count("\n")


def prose(path):
    """The text of a file that is for readers, at the lines where it stands there."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".go":
        out, end = [], 0
        for match in GO.finditer(text):
            out.append(blank(text[end : match.start()]))
            out.append(match["comment"] if match["comment"] else blank(match[0]))
            end = match.end()
        return unquoted(re.sub(r"https?://\S+", "", "".join(out)))
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return unquoted(CODE.sub(lambda match: blank(match[0]), text))


def unquoted(text):
    return QUOTED.sub(lambda match: blank(match[0]), text)


def american():
    """codespell's list of British words and their American forms, turned round."""
    lines = (Path(codespell_lib.__file__).parent / "data" / "dictionary_en-GB_to_en-US.txt").read_text(encoding="utf-8").splitlines()
    forms = {}
    for line in lines:
        british, americans = line.split("->")
        for word in americans.split(","):
            if word.strip():
                forms.setdefault(word.strip(), []).append(british.strip())
    return "".join(f"{word}->{', '.join(british)}{',' if len(british) > 1 else ''}\n" for word, british in sorted(forms.items()))


def main(names):
    if not names:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md", "*.go", "*.ipynb"],
            cwd=ROOT, capture_output=True, check=True,
        )
        names = sorted({name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()})
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            copy = Path(folder, name)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(prose(ROOT / name), encoding="utf-8")
        dictionary = Path(folder, ".american.txt")
        dictionary.write_text(american(), encoding="utf-8")
        command = [
            sys.executable, "-m", "codespell_lib", "--builtin", "clear,rare", "--dictionary", "-", "--dictionary", str(dictionary),
            "--ignore-regex", IDENTIFIER, "--ignore-words", str(HERE / "spelling-words.txt"), *names,
        ]
        return subprocess.run(command, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
