# The documents as a site, with Sphinx. docs/build_site runs this in the project's folder.
import html
import pathlib
import re

root = pathlib.Path(__file__).resolve().parent.parent
project = "bloomline"
extensions = ["myst_parser"]
include_patterns = ["*.md", "docs/*.md", "docs/guides/*.md", "tests/README.md"]
exclude_patterns = ["build*", ".*"]
root_doc = "README"
myst_heading_anchors = 6  # as on GitHub
myst_disable_syntax = ["myst_line_comment"]  # a line that begins with "%" is text
highlight_language = "none"
html_theme = "furo"
html_title = project
html_use_index = False
html_copy_source = False
html_show_copyright = False
site_pages = {page for pattern in include_patterns for page in root.glob(pattern)}
others = set()  # files and folders that pages link, relative to the root


def address(path):
    """Where the site has a file or folder that is no page: files as plain text."""
    if (root / path).suffix == ".html":
        return path
    others.add(path)
    return f"{path}/index.html" if (root / path).is_dir() else f"{path}.txt"


def with_links(page, text):
    """The text of a page with links to files and folders as Sphinx leaves them alone: in HTML."""
    def link(match):
        name, mark, fragment = match[2].partition("#")
        target = (page.parent / name).resolve()
        if not name or target in site_pages or not target.exists():
            return match[0]
        up = "../" * len(page.relative_to(root).parent.parts)
        where = f"{up}{address(str(target.relative_to(root)))}{mark}{fragment}"
        return f'<a href="{where}">{match[1]}</a>'
    return re.sub(r"(?<!!)\[([^\]]*)\]\(([^()\s:]+)\)", link, text)


def contents():
    """The sidebar: the pages in the order of docs/README.md, under the titles of its tables."""
    index = root / "docs/README.md"
    tables = re.split(r"^\| (.+?) \|.*\n\|---.*", index.read_text(), flags=re.MULTILINE)
    pages = {index: "documents"}
    for title, table in zip(tables[1::2], tables[2::2]):
        for name in re.findall(r"\]\(([\w./]+\.md)\b", table):
            pages.setdefault((index.parent / name).resolve(), title)
    pages.update({page: "guides" for page in sorted(root.glob("docs/guides/*.md"))})
    for page in ["CHANGELOG.md", "CONTRIBUTING.md", "tests/README.md"]:
        pages[root / page] = "project"
    return "".join(f"\n```{{toctree}}\n:hidden:\n:caption: {title[0].upper() + title[1:]}\n\n" + "".join(
        f"{page.relative_to(root).with_suffix('')}\n" for page in pages if pages[page] == title
        ) + "```\n" for title in dict.fromkeys(pages.values()))


def read(app, name, source):
    source[0] = with_links(root / f"{name}.md", source[0])
    if name == root_doc:
        source[0] += contents()
    if name == "docs/reference":  # the headers' pages by Doxygen
        source[0] = re.sub(
            r"\b(\w+)\.h\b", lambda header: f'<a href="../reference/html/'
            f'{header[1].replace("_", "__")}_8h.html">{header[0]}</a>', source[0])
        source[0] += '\n<a href="../reference/html/index.html">All classes and functions</a>\n'


def finish(app, error):
    if error:
        return
    out = pathlib.Path(app.outdir)

    def write(name, text):
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text)
    folders = [path for path in others if (root / path).is_dir()]
    for folder in folders:
        files = sorted(path for path in (root / folder).rglob("*") if path.is_file())
        others.update(str(path.relative_to(root)) for path in files)
        names = [html.escape(str(path.relative_to(root / folder))) for path in files]
        write(f"{folder}/index.html", f"""<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>{folder}</title>
""" + "".join(f'<p><a href="{name}.txt">{name}</a>' for name in names))
    for path in others.difference(folders):
        write(f"{path}.txt", (root / path).read_text())
    calculator = (root / "docs/calculator.html").read_text()
    write("docs/calculator.html", re.sub(r'(href="\w+)\.md\b', r"\1.html", calculator))
    mend_theme(out / "_static/styles/furo.css")
    write("index.html", (out / "README.html").read_text())


def mend_theme(style):
    """Debian compiles Furo with a compiler that loses the dark colours of those who ask for them
    in their system, not by the page's button; in Debian 12 also what the style imports."""
    text = style.read_text()
    asked = 'body:not([data-theme="light"])'
    if asked not in text:
        dark = re.search(r'body\[data-theme="dark"\] (\{[^}]*--color-background[^}]*\})', text)[1]
        text += f"@media (prefers-color-scheme: dark) {{ {asked} {dark} }}\n"
    normalize = "/javascript/normalize.css/normalize.css"
    if normalize in text:
        text = (pathlib.Path(f"/usr/share{normalize}").read_text() +
                text.replace(f"@import url({normalize});", ""))
    # On screens of 380 pixels all columns of all tables are seen: names break.
    text += ("table.docutils { font-size: 0.9rem }\n"
             "@media (max-width: 40rem) { table.docutils { font-size: 0.72rem }\n"
             "  table.docutils td, table.docutils th { padding: 0.15rem 0.1rem }\n"
             "  code, th, td:first-child { overflow-wrap: anywhere }\n"
             "  td:first-child { min-width: 3.8rem } }\n")
    style.write_text(text)


def setup(app):
    app.connect("source-read", read)
    app.connect("build-finished", finish)
