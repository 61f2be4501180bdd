"""Draws the pictures in docs/images as SVG files, from the tables of docs/benchmarking.md,
docs/choosing.md and docs/ranges.md; and what the first command prints, from
docs/images/first_run.txt, which this writes:

  ./db_bench_ext/run | sed 's,/.*/db_bench_ext,db_bench_ext,' >docs/images/first_run.txt

Needs matplotlib (Debian: python3-matplotlib).
"""
import argparse
import pathlib
import re
import sys

try:
    import screen
    import style
except ImportError as error:
    sys.exit(f"draw.py: {error}; install Debian's package python3-matplotlib and run draw.py "
             "with /usr/bin/python3")

DOCS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs"
class Missing(Exception):
    """The sentence says what a picture needs and does not find."""


def read_markdown(page, heading):
    """The rows of the table whose first line begins with `heading`, as lists of cells."""
    rows = []
    inside = False
    with open(DOCS / page, encoding="utf-8") as file:
        for line in file:
            if line.startswith(heading):
                inside = True
            elif inside and line.startswith("|---"):
                continue
            elif inside and line.startswith("|"):
                cells = line.strip().strip("|").split("|")
                rows.append([cell.strip().strip("*") for cell in cells])
            elif inside:
                break
    if not rows:
        raise Missing(f"docs/{page} has no table that begins with {heading!r}")
    return rows


def read_heading(page, heading):
    """The cells of the line that begins with `heading`."""
    for line in (DOCS / page).read_text(encoding="utf-8").splitlines():
        if line.startswith(heading):
            return [cell.strip() for cell in line.strip("|").split("|")]
    raise Missing(f"docs/{page} has no table that begins with {heading!r}")


def first_number(text):
    match = re.match(r"[0-9.]+", text)
    if match is None:
        raise Missing(f"{text!r} does not begin with a number")
    return float(match[0])


# Colour and marker of each filter: colours alone never tell two of them apart. The row of
# docs/choosing.md with its rates, and that of docs/benchmarking.md with its bits and times.
LOOKS = {
    "bloom": ("bloom", "o", "`blocked`, and `bloom`", "Bloom by RocksDB"),
    "ribbon": ("ribbon", "s", "`ribbon`", "Ribbon by RocksDB"),
    "our ribbon": ("ribbon", "s", "`ribbon`", "Ribbon by bloomline"),
    "blocked": ("blocked", "^", "`blocked`, and `bloom`", "blocked"),
}
RATES = "| | 5 bits |"
TIMES = "| | bits/key | FPR % | missing |"


def prepare(canvas):
    top = canvas.header + 12
    axes = canvas.axes(78, top, 560 - 78 - 22, 460 - top - 62)
    axes.set_yscale("log")
    axes.set_xlim(4.5, 17)
    axes.set_ylim(0.0018, 14)
    axes.set_xticks(range(6, 17, 2))
    ticks = (0.01, 0.1, 1, 10)
    axes.set_yticks(ticks, [f"{tick:g} %" for tick in ticks])
    axes.grid(axis="y", color=style.GRID, linewidth=0.8)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("bits per key", color=style.INK, fontsize=canvas.points(13))
    axes.plot((4.5, 17), [100 * 2 ** -bits for bits in (4.5, 17)], color=style.MUTED,
              linestyle=(0, (1, 1.5)), linewidth=canvas.points(2))
    canvas.label(axes, 13.6, 0.0033, "information limit", color=style.MUTED, ha="right")
    return axes


def row_of(rows, name):
    """The first row whose first cell begins so."""
    for cells in rows:
        if cells[0].startswith(name):
            return cells
    raise Missing(f"a table lacks {name!r}")


def memory_and_rate():
    rates = read_markdown("choosing.md", RATES)
    bits = [first_number(cell) for cell in read_heading("choosing.md", RATES)[1:]]
    times = read_markdown("benchmarking.md", TIMES)
    measured = {name: [first_number(cell) for cell in row_of(times, row)[1:4]]
                for name, (_, _, _, row) in LOOKS.items()}
    bloom_bits, rate, _ = measured["bloom"]
    ribbon_bits = measured["ribbon"][0]
    saved = f"{100 * (1 - ribbon_bits / bloom_bits):.0f} %"
    canvas = style.Canvas(
        560, 460,
        f"Ribbon saves {saved} of Bloom's memory at the same false-positive rate",
        "false-positive rate by bits per key; ns: one query for a missing key, Intel Xeon with "
        f"AVX-512, at {rate:.2g} %")
    axes = prepare(canvas)

    def plot(name, **more):
        color, marker, row, _ = LOOKS[name]
        axes.plot(bits, [first_number(cell) for cell in row_of(rates, row)[1:]],
                  color=style.COLORS[color], marker=marker, markeredgewidth=0, **more)

    # Bloom's curve and that of blocked lie on top of each other: Bloom's is wide.
    plot("bloom", alpha=0.45, linewidth=canvas.points(7), markersize=canvas.points(12))
    for name in ("blocked", "ribbon"):
        plot(name, linewidth=canvas.points(2), markersize=canvas.points(7))

    def label(name, text, x, y, weight):
        ns = measured[name][2]
        canvas.label(axes, x, y, f"{text}, {ns:.{1 if ns < 10 else 0}f} ns", weight=weight,
                     color=style.COLORS[LOOKS[name][0]])

    label("bloom", "RocksDB's Bloom", 10.6, 3.6, "normal")
    label("blocked", "blocked", 10.6, 2.0, "bold")
    label("ribbon", "RocksDB's Ribbon", 4.7, 0.034, "normal")
    label("our ribbon", "by bloomline", 4.7, 0.019, "bold")
    canvas.label(axes, bloom_bits, rate, f"\N{MINUS SIGN}{saved}", offset=(2, -16), ha="right",
                 weight="bold")
    axes.annotate("", (ribbon_bits, rate), (bloom_bits, rate),
                  arrowprops={"arrowstyle": "-|>", "color": style.INK,
                              "linewidth": canvas.points(1.6), "shrinkA": 5, "shrinkB": 5})
    return canvas


NATURAL = "| levels | filter | at rest |"
# Rows of the table, with dynamic levels: the name that is shown, colour.
SHOWN_FILTERS = {
    "Bloom": ("RocksDB's Bloom", "bloom"),
    "Ribbon": ("RocksDB's Ribbon", "ribbon"),
    "two numbers": ("two numbers", "none"),
    "Ribbon by level": ("Ribbon by level", "blocked"),
}


def wasted_reads():
    rows = {cells[1].strip("*"): cells for cells in read_markdown("benchmarking.md", NATURAL)[:5]}
    measured = [(*SHOWN_FILTERS[name], *map(first_number, row[2:4]))
                for name, row in rows.items() if name in SHOWN_FILTERS]
    canvas = style.Canvas(
        560, lambda header: header + 20 + 62 * len(measured),
        "Ribbon by level wastes few reads, also while a database is written",
        "wasted reads in 100 lookups of missing keys, at rest and while written (paler); dynamic "
        "levels (db_bench_ext/run --part natural)")
    axes = canvas.bare_axes(196, canvas.header + 14, 304, 62 * len(measured))
    axes.set_xlim(0, 1.02 * max(written for _, _, _, written in measured))
    axes.set_ylim(len(measured) - 0.5, -0.5)
    for place, (name, color, at_rest, written) in enumerate(measured):
        weight = "bold" if name == "Ribbon by level" else "normal"
        color = style.COLORS[color]
        canvas.label(axes, 0, place, name, size=13, offset=(-10, 0), ha="right", color=color,
                     weight=weight)
        for y, value, alpha in ((place - 0.18, at_rest, 1), (place + 0.18, written, 0.55)):
            axes.barh(y, value, height=0.32, color=color, alpha=alpha)
            canvas.label(axes, value, y, f"{value:.2f}", size=13, offset=(7, 0), weight=weight)
    return canvas


RANGES = "| keys | the range | without"
# Columns of the table: name, colour.
SUBJECTS = {
    2: ("no filter for ranges", "none"),
    3: ("RocksDB's prefix filter", "bloom"),
    4: ("bloomline's filter", "ranges"),
}
# Rows of the table: keys of programs, a real list, and the row that gains least.
SHOWN = ("user:17:post:4", "device, microseconds: 8 bytes", "files of a machine",
         "YCSB: user and a hash in digits")
ROW, GROUP = 21, 92


def empty_ranges():
    table = read_markdown("ranges.md", RANGES)
    rows = [cells for keys in SHOWN for cells in table if cells[0] == keys]
    assert len(rows) == len(SHOWN), "docs/ranges.md has other rows"
    values = [[first_number(cells[column].replace("<", "")) for column in SUBJECTS]
              for cells in rows]
    autos = [value[2] for value in values]
    withouts = [value[0] for value in values]
    canvas = style.Canvas(
        560, lambda header: header + 10 + GROUP * len(rows),
        f"Scans of empty ranges touch {min(autos):g} to {max(autos):g} blocks, not "
        f"{min(withouts):g} to {max(withouts):g}",
        "blocks of data and indexes per scan, by the form of the keys; RocksDB, three or four levels, "
        "filters of 10 bits per key")
    axes = canvas.bare_axes(222, canvas.header + 8, 274, GROUP * len(rows))
    axes.spines["left"].set_visible(False)
    axes.set_xlim(0, 1.02 * max(map(max, values)))
    axes.set_ylim(GROUP * len(rows), 0)
    for i, (cells, measured) in enumerate(zip(rows, values)):
        canvas.text(14, canvas.header + 8 + GROUP * i + 12, cells[0], va="center", weight="bold")
        for j, ((name, color), value) in enumerate(zip(SUBJECTS.values(), measured)):
            y = GROUP * i + 34 + ROW * j
            ours = color == "ranges"
            axes.barh(y, value, height=15, color=style.COLORS[color])
            canvas.label(axes, 0, y, name, size=13, offset=(-10, 0), ha="right",
                         color=style.COLORS[color], weight="bold" if ours else "normal")
            canvas.label(axes, value, y, f"{value:g}", size=13, offset=(7, 0),
                         weight="bold" if ours else "normal")
    return canvas


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=DOCS / "images", metavar="DIR",
                        help="folder of the pictures (%(default)s)")
    parser.add_argument("pictures", nargs="*", metavar="PICTURE",
                        help="memory_and_rate, wasted_reads, empty_ranges, first_run (all)")
    flags = parser.parse_args()
    pictures = {"memory_and_rate": memory_and_rate, "wasted_reads": wasted_reads,
                "empty_ranges": empty_ranges, "first_run": None}
    unknown = set(flags.pictures) - set(pictures)
    if unknown:
        parser.error(f"PICTURE is {min(unknown)!r}; allowed: {', '.join(pictures)}")
    flags.out.mkdir(parents=True, exist_ok=True)
    try:
        for name in flags.pictures or pictures:
            if name == "first_run":
                screen.save((DOCS / "images/first_run.txt").read_text(encoding="utf-8"),
                            "./db_bench_ext/run", flags.out)
            else:
                pictures[name]().save(flags.out / f"{name}.svg")
    except (OSError, Missing) as reason:
        sys.exit(f"The pictures were not drawn: {reason}")


if __name__ == "__main__":
    main()
