"""The picture of a screen: the lines of a program, in letters of one width, as an SVG.

The narrow form is for small pages: columns move together, and what is still too long is wrapped.
"""
import html
import re
import textwrap

import style

FONTS = "'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"
LETTER, LINE, MARGIN = 8.0, 18, 14  # pixels
NARROW = 64  # letters


def is_row(line):
    """Whether the line is of a table: it has cells, apart from its indentation."""
    return re.search(r"\S {2,}\S", line) is not None


def squeezed(rows, blanks):
    """The rows of a table with at most so many blanks where all of them have more."""
    width = max(map(len, rows))
    rows = [row.ljust(width) for row in rows]
    blank = [all(row[i] == " " for row in rows) for i in range(width)]
    kept = [i for i in range(width) if i < blanks or not all(blank[i - blanks:i + 1])]
    return ["".join(row[i] for i in kept).rstrip() for row in rows]


def with_short_bars(rows, width):
    """The rows with bars of # that fit, in the same proportions."""
    bars = [len(row) - len(row.rstrip("#")) for row in rows]
    room = width - max(len(row) - bar for row, bar in zip(rows, bars))
    if max(bars) == 0 or max(map(len, rows)) <= width or room < 1:
        return rows
    return [row.rstrip("#") + "#" * -(-bar * room // max(bars)) for row, bar in zip(rows, bars)]


def fitted(rows, width):
    """The rows of a table, narrower if they are too long and that helps."""
    forms = [with_short_bars(squeezed(rows, blanks), width) for blanks in (2, 1)]
    return next((form for form in forms if max(map(len, form)) <= width), forms[0])


def wrapped(line, width):
    indent = len(line) - len(line.lstrip())
    if is_row(line):  # a line for each cell
        first, *rest = re.split(r" {2,}", line.strip())
        lines = [" " * indent + first]
        for cell in rest:
            fits = len(lines[-1]) + 2 + len(cell) <= width
            lines[-1:] = [f"{lines[-1]}  {cell}"] if fits else [lines[-1], " " * (indent + 2) + cell]
        return lines
    return textwrap.wrap(line, width, initial_indent="", subsequent_indent=" " * indent,
                         break_on_hyphens=False, drop_whitespace=True) or [""]


def narrowed(lines, width):
    """The lines in at most `width` letters."""
    found = []
    block = []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line)
            continue
        rows = iter(fitted([row for row in block if is_row(row)] or [""], width))
        for one in block:
            one = next(rows) if is_row(one) else one
            found += [one] if len(one) <= width else wrapped(one, width)
        found.append("")
        block = []
    return found[:-1]


def screen(lines, command, title):
    """The text of an SVG: a prompt with the command, and the lines below it."""
    shown = [f"$ {command}", *lines]
    while not shown[-1].strip():
        shown.pop()
    width = max(map(len, shown)) * LETTER + 2 * MARGIN
    height = len(shown) * LINE + 2 * MARGIN
    texts = []
    for number, line in enumerate(shown):
        kind = " class='command'" if number == 0 else ""
        # Each cell has its place and width, so columns stay whatever font the viewer has.
        for cell in re.finditer(r"\S+(?: \S+)*", line):
            texts.append(f"<text x='{MARGIN + LETTER * cell.start():g}' "
                         f"y='{MARGIN + LINE * number + 13}' "
                         f"textLength='{len(cell[0]) * LETTER:g}' lengthAdjust='spacingAndGlyphs'{kind}>"
                         f"{html.escape(cell[0], quote=False)}</text>")
    dark = style.DARK
    return (f"<svg xmlns='http://www.w3.org/2000/svg' role='img' viewBox='0 0 {width:g} {height}' "
            f"width='{width:g}' height='{height}'>\n<title>{html.escape(title)}</title>\n<style>\n"
            f"rect {{ fill: {style.PAPER}; stroke: {style.GRID} }}\n"
            f"text {{ fill: {style.INK}; font: 13px {FONTS} }}\n"
            f".command {{ fill: {style.COLORS['ribbon']}; font-weight: bold }}\n"
            "@media (prefers-color-scheme: dark) {\n"
            f"  rect {{ fill: {dark[style.PAPER]}; stroke: {dark[style.GRID]} }}\n"
            f"  text {{ fill: {dark[style.INK]} }}\n"
            f"  .command {{ fill: {dark[style.COLORS['ribbon']]} }}\n}}\n</style>\n"
            f"<rect x='.5' y='.5' width='{width - 1:g}' height='{height - 1}' rx='6'/>\n" +
            "\n".join(texts) + "\n</svg>\n")


def save(text, command, folder):
    """Writes first_run.svg and first_run_narrow.svg."""
    lines = text.splitlines()
    title = f"What {command} prints"
    for name, shown in (("first_run", lines), ("first_run_narrow", narrowed(lines, NARROW))):
        (folder / f"{name}.svg").write_text(screen(shown, command, title), encoding="utf-8")
