"""Makes a site of the repository, for mkdocs: the pages are its Markdown files, its notebooks and the comments of its Go packages.

Every page is at the path of its file, so that links between files are right in both. A link to a file that is no page, such as
a program, goes to the repository that REPOSITORY_URL names; without it, its text alone is shown.
"""

import html
import json
import os
import posixpath
import re
import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit

import latex2mathml.converter
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File
from nbconvert import MarkdownExporter
from traitlets.config import Config

ROOT = Path(__file__).resolve().parents[2]
REPOSITORY = os.environ.get("REPOSITORY_URL", "").rstrip("/")
PICTURES = {".svg", ".png", ".gif", ".webp", ".jpg"}

# How a notebook becomes Markdown. The code of cells that are folded in JupyterLab is folded here.
NOTEBOOK = """\
{%- extends 'markdown/index.md.j2' -%}
{%- block input -%}
{%- if cell.metadata.get('jupyter', {}).get('source_hidden') %}
<details class="code" markdown="1"><summary>Code</summary>

````go
{{ cell.source }}
````

</details>
{% else %}
````go
{{ cell.source }}
````
{% endif -%}
{%- endblock -%}
{%- block stream %}
<div class="output"><pre>{{ output.text | e | replace('\n', '&#10;') }}</pre></div>
{% endblock -%}
{%- block data_html %}
<div class="output">
{{ output.data['text/html'] | replace('\n\n', '\n') }}
</div>
{% endblock -%}
{%- block data_svg %}
<div class="output"><img alt="{{ output.data['text/plain'] | trim | e }}" src="{{ output.metadata.filenames['image/svg+xml'] }}"></div>
{% endblock -%}
{%- block data_png %}
<div class="output"><img alt="{{ output.data['text/plain'] | trim | e }}" src="{{ output.metadata.filenames['image/png'] }}"{% if output.metadata.get('image/png', {}).get('width') %} width="{{ output.metadata['image/png']['width'] }}"{% endif %}></div>
{% endblock -%}
{%- block data_text %}
<div class="output"><pre>{{ output.data['text/plain'] | e | replace('\n', '&#10;') }}</pre></div>
{% endblock -%}
"""


def tracked():
    """The paths of the repository's files, those that git ignores left out."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    )
    return sorted(path for path in set(listed.stdout.decode().split("\0")) if path and (ROOT / path).is_file())


class Links(Treeprocessor):
    """Mends the links of a page before mkdocs looks at them."""

    def __init__(self):
        super().__init__()
        self.page, self.files = None, None

    def run(self, root):
        for element in root.iter():
            if element.tag == "a" and "href" in element.attrib:
                self.mend(element)

    def mend(self, element):
        url = urlsplit(element.attrib["href"])
        if url.scheme or url.netloc or not url.path:
            return
        here = posixpath.dirname(self.page.file.src_uri)
        path = posixpath.normpath(posixpath.join(here, unquote(url.path)))
        anchor = "#" + url.fragment if url.fragment else ""
        for page in (path, path + "/README.md", path.removesuffix(".ipynb") + ".md", packages.get(path)):
            if page and self.files.get_file_from_path(page):
                element.set("href", posixpath.relpath(page, here or ".") + anchor)
                return
        if not (ROOT / path).exists():
            return  # mkdocs warns of it
        if REPOSITORY:
            element.set("href", f"{REPOSITORY}/{'tree' if (ROOT / path).is_dir() else 'blob'}/HEAD/{path}{anchor}")
            return
        element.tag = "span"
        element.attrib.clear()
        element.attrib.update({"class": "source", "title": path + " in the repository"})


class LinksExtension(Extension):
    def extendMarkdown(self, md):
        md.treeprocessors.register(links, "repository", 10)  # after "inline" (20) has made the links, before "relpath" of mkdocs (0) looks at them


links = Links()
packages = {}  # the page of each package's folder


def on_config(config):
    config.markdown_extensions.append(LinksExtension())
    if REPOSITORY:
        config.copyright = f'Apache 2.0 · <a href="{html.escape(REPOSITORY)}">{html.escape(REPOSITORY)}</a>'
    return config


def on_files(files, config):
    def add(uri, **content):
        files.append(File.generated(config, uri, **content))

    notebooks = []
    for path in tracked():
        folders = Path(path).parts[:-1]
        if "testdata" in folders or any(folder.startswith(".") for folder in folders) or path.startswith("docs/site/"):
            continue
        suffix = Path(path).suffix
        if suffix == ".md" or path in ("docs/explorer.html", "LICENSE"):
            add(path, abs_src_path=str(ROOT / path))
        elif suffix in PICTURES and folders and folders[0] in ("docs", "notebooks", "docker", "course"):
            add(path, abs_src_path=str(ROOT / path))
        elif suffix == ".ipynb" and folders == ("notebooks",):
            add(path, abs_src_path=str(ROOT / path))
            page = path.removesuffix(".ipynb") + ".md"
            notebooks.append(page)
            for name, content in notebook(path):
                add(name, content=content)
    packages.clear()
    for uri, content in package_pages():
        add(uri, content=content)
    for section in config.nav:
        if "Notebooks" in section:
            section["Notebooks"] = [{"All notebooks": "notebooks/README.md"}, *notebooks]
        if "Packages" in section:
            section["Packages"] = [{"All packages": "packages/README.md"}, *(packages[path] for path in sorted(packages))]
        if "Project" in section:  # has the pages, too, that nobody has given another place
            known = set(places(config.nav))
            section["Project"] += [page.src_uri for page in files.documentation_pages() if page.src_uri not in known]
    return files


def places(nav):
    """The pages that a navigation names."""
    for entry in nav:
        for below in entry.values() if isinstance(entry, dict) else [entry]:
            if isinstance(below, list):
                yield from places(below)
            else:
                yield below


def on_page_markdown(markdown, page, config, files):
    links.page, links.files = page, files
    # A picture for each of light and dark: the site's own switch chooses, not the system's.
    def picture(match):
        dark = re.search(r'<source[^>]*prefers-color-scheme:\s*dark[^>]*srcset="([^"]+)"', match[0])
        image = re.search(r'<img[^>]*src="([^"]+)"[^>]*>', match[0])
        if not dark or not image:
            return match[0]
        return image[0].replace(image[1], image[1] + "#only-light") + image[0].replace(image[1], dark[1] + "#only-dark")

    return re.sub(r"<picture>.*?</picture>", picture, markdown, flags=re.S)


def on_page_content(content, page, config, files):
    """Formulas become MathML, which browsers draw without a script. The contents of a page with a second title have both."""
    first, *others = page.toc.items or [None]
    if others:
        first.children.extend(others)
        del page.toc.items[1:]

    def formula(match):
        return latex2mathml.converter.convert(html.unescape(match[2]), display="block" if match[1] == "[" else "inline")

    return re.sub(r'<(?:span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</(?:span|div)>', formula, content, flags=re.S)


def notebook(path):
    """The page of a notebook, and its figures."""
    name = Path(path).stem
    settings = Config()
    settings.ExtractOutputPreprocessor.output_filename_template = "{unique_key}-{cell_index}-{index}{extension}"
    exporter = MarkdownExporter(config=settings, raw_template=NOTEBOOK)
    body, resources = exporter.from_filename(str(ROOT / path), resources={"unique_key": name})
    title, rest = body.strip().split("\n", 1)
    yield f"notebooks/{name}.md", (
        f"{title}\n\n<p>This page shows a notebook and its saved outputs. To run it, type <code>notebooks/lab</code> in a checkout, or "
        f'<a href="{name}.ipynb" download>download the notebook</a>.</p>\n{rest}\n'
    )
    for figure, content in resources["outputs"].items():
        if f'"{figure}"' in body:  # of a figure's two forms, SVG and PNG, one is shown
            yield f"notebooks/{figure}", content


def package_pages():
    """A page for every package that others may import, from its comments, and one that lists them."""
    asked = ["go", "list", "-json=ImportPath,Name,Doc,Module", "./..."]
    answer = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True)
    if answer.returncode:
        raise PluginError(f"{' '.join(asked)}: {answer.stderr}")
    decoder, text, rows = json.JSONDecoder(), answer.stdout.strip(), []
    while text:
        package, end = decoder.raw_decode(text)
        text = text[end:].strip()
        module = package["Module"]["Path"]
        path = package["ImportPath"].removeprefix(module).strip("/")
        if not path or package["Name"] == "main" or "internal" in path.split("/") or path.split("/")[0] in ("docs", "examples") or path.startswith("course/examples/"):
            continue
        packages[path] = f"packages/{path.replace('/', '-')}.md"
        rows.append((path, package))
        said = subprocess.run(["go", "doc", "-all", "./" + path], cwd=ROOT, capture_output=True, text=True, check=True)
        yield packages[path], package_page(path, package["ImportPath"], said.stdout)
    lines = [
        "# Packages",
        "",
        "Every package that you can import, with its first sentence. Each page has what `go doc -all` prints. Programs that use them are in",
        "the [course](../course/README.md) and the [notebooks](../notebooks/README.md); [the architecture](../docs/architecture.md) says who may import whom.",
        "",
        "| package | what it is |",
        "|:--|:--|",
    ]
    for path, package in rows:
        sentence = re.sub(r"^Package \S+ ", "", package.get("Doc", "")).replace("|", r"\|")
        lines.append(f"| [{path}]({posixpath.basename(packages[path])}) | {escaped(sentence)} |")
    yield "packages/README.md", "\n".join(lines) + "\n"


def escaped(text):
    """Text as Markdown that shows it; links to symbols, as in [AUC], become their names."""
    return re.sub(r"([*_`<\[\]\\])", r"\\\1", re.sub(r"\[(\*?(?:[a-z]\w*\.)?[A-Z][\w.]*)\](?!\[)", r"\1", text))


def package_page(path, imported, said):
    """The text of go doc as Markdown: declarations are code, comments are text."""
    lines = said.split("\n")
    out = [f"# {path}", "", "```go", f'import "{imported}"', "```", ""]
    declaration, comment = [], []

    def flush():
        nonlocal declaration, comment
        while declaration and not declaration[0].strip():
            del declaration[0]
        if declaration:
            heading = re.match(r"(?:func(?: \([^)]*\))?|type) (\w+)", declaration[0])
            method = re.match(r"func \((?:\w+ )?\*?(\w+)(?:\[[^\]]*\])?\) (\w+)", declaration[0])
            if method:
                out.extend([f"#### {method[1]}.{method[2]}", ""])
            elif heading:
                out.extend([f"### {heading[1]}", ""])
            out.extend(["```go", *"\n".join(declaration).strip("\n").split("\n"), "```", ""])
        if comment:
            out.extend(prose(comment))
            out.append("")
        declaration, comment = [], []

    sections = ("CONSTANTS", "VARIABLES", "FUNCTIONS", "TYPES")
    start = next((i for i, line in enumerate(lines) if line in sections), len(lines))
    out.extend(prose(lines[1:start]))
    for line in lines[start:]:
        if line in sections:
            flush()
            out.extend(["", "## " + line.capitalize(), ""])
        elif line.startswith("    "):
            comment.append(line[4:])
        elif not line.strip() and comment:
            comment.append("")
        else:
            if comment:
                flush()
            declaration.append(line)
    flush()
    return "\n".join(out) + "\n"


def prose(lines):
    """A comment as go doc prints it: indented lines are code or lists, lines with # are headings."""
    out, code = [], []

    def ended():
        while code and not code[-1].strip():
            code.pop()
        if code:
            out.extend(["", "```text", *(line[4:] for line in code), "```", ""])
            code.clear()

    item = False  # whether an item of a list goes on
    for line in lines:
        begins = re.match(r"  ?(-|\d+\.) +(.*)", line)
        if not begins and (line.startswith("    ") and not item or code and not line.strip()):
            code.append(line)
            continue
        ended()
        heading = re.match(r"# (.*)", line)
        if heading:
            out.append(f"**{escaped(heading[1])}**")
        elif begins:
            if not item:
                out.append("")
            out.append(f"{begins[1]}   {escaped(begins[2])}")
        else:
            out.append(escaped(line))
        item = bool(begins) or item and bool(line.strip())
    ended()
    return out
