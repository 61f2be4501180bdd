"""Draws the pictures in docs/images as SVG files: from filters.csv, docs/rocksdb.md and docs/ranges.md.

Needs matplotlib (Debian: python3-matplotlib).
"""
import argparse
import csv
import pathlib
import re
import sys

try:
    import style
except ImportError as error:
    sys.exit(f"draw.py: {error}; install Debian's package python3-matplotlib and run draw.py "
             "with /usr/bin/python3")

DOCS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs"
# The kernels and builds that filters.csv names, the best first.
KERNELS = ("avx512", "avx2", "neon", "portable")
BUILDS = ("native", "packaged")


class Missing(Exception):
    """The sentence says what a picture needs and does not find."""


def number(row, column):
    """NaN for what was not measured."""
    return float(row[column] or "nan")


def best_subjects(rows):
    """The subjects of filters.csv to compare: each filter in the best variant that was measured."""
    measured = {row["subject"] for row in rows}

    def choose(family, variants):
        for variant in variants:
            if f"{family} {variant}" in measured:
                return f"{family} {variant}"
        raise Missing(f"no queries of {family!r}")

    return {"builtin-bloom": choose("Bloom", BUILDS), "builtin-ribbon": choose("Ribbon", BUILDS),
            "blocked": choose("blocked", KERNELS), "compact": choose("compact", KERNELS)}


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


def first_number(text):
    match = re.match(r"[0-9.]+", text)
    if match is None:
        raise Missing(f"{text!r} does not begin with a number")
    return float(match[0])


# Colour and marker of each filter: colours alone never tell two of them apart.
LOOKS = {"builtin-bloom": ("bloom", "o"), "builtin-ribbon": ("ribbon", "s"),
         "blocked": ("blocked", "^"), "compact": ("compact", "D")}


def curve(rows, subject):
    # Compact filters are measured at Bloom's rate ("compact") and at Bloom's memory.
    subjects = (subject, subject.replace("compact ", "compact=mem "))
    points = {number(row, "written_bits_per_key"): 100 * number(row, "fpr")
              for row in rows if row["subject"] in subjects}
    return zip(*sorted(points.items()))


def prepare(canvas):
    top = canvas.header + 12
    axes = canvas.axes(78, top, 560 - 78 - 22, 460 - top - 62)
    axes.set_yscale("log")
    axes.set_xlim(5, 17)
    axes.set_ylim(0.004, 4)
    axes.set_xticks(range(6, 17, 2))
    ticks = (0.01, 0.1, 1)
    axes.set_yticks(ticks, [f"{tick:g} %" for tick in ticks])
    axes.grid(axis="y", color=style.GRID, linewidth=0.8)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("bits per key", color=style.INK, fontsize=canvas.points(13))
    axes.plot((5, 17), [100 * 2 ** -bits for bits in (5, 17)], color=style.MUTED,
              linestyle=(0, (1, 1.5)), linewidth=canvas.points(2))
    canvas.label(axes, 13.2, 0.0062, "information limit", color=style.MUTED, ha="right")
    return axes


def memory_and_rate(rows):
    measured = [row for row in rows if row["kind"] == "query" and row["mode"] == "single"
                and row["hit_percent"] == "0"]
    # A quick run has only small filters.
    keys = max((int(row["keys"]) for row in measured if int(row["keys"]) <= 1000000), default=0)
    measured = [row for row in measured if int(row["keys"]) == keys]
    subjects = best_subjects(measured)
    at_ten = {row["subject"]: row for row in measured if row["bits_per_key"] == "10"}

    def of(policy, column):
        return number(at_ten[subjects[policy]], column)

    bloom_bits = of("builtin-bloom", "written_bits_per_key")
    compact_bits = of("compact", "written_bits_per_key")
    rate = 100 * of("builtin-bloom", "fpr")
    saved = f"{100 * (1 - compact_bits / bloom_bits):.0f} %"
    is_packaged = "packaged" in subjects["builtin-bloom"]
    packaged = " (RocksDB's filters: as packaged, portable)" if is_packaged else ""
    canvas = style.Canvas(
        560, 460,
        f"compact saves {saved} of Bloom's memory at the same false-positive rate",
        "false-positive rate by bits per key; ns: one query" + packaged)
    axes = prepare(canvas)

    def plot(policy, **more):
        color, marker = LOOKS[policy]
        axes.plot(*curve(measured, subjects[policy]), color=style.COLORS[color], marker=marker,
                  markeredgewidth=0, **more)

    # Curves lie on top of each other in pairs: RocksDB's are wide, with ours inside.
    for policy in ("builtin-bloom", "builtin-ribbon"):
        plot(policy, alpha=0.45, linewidth=canvas.points(7), markersize=canvas.points(12))
    for policy in ("blocked", "compact"):
        plot(policy, linewidth=canvas.points(2), markersize=canvas.points(7))

    def name(policy, text, x, y, weight):
        canvas.label(axes, x, y, f"{text}, {of(policy, 'ns_per_key_median'):.2g} ns", weight=weight,
                     color=style.COLORS[LOOKS[policy][0]])

    name("builtin-bloom", "RocksDB's Bloom", 10.8, 2.3, "normal")
    name("blocked", "blocked", 10.8, 1.38, "bold")
    name("builtin-ribbon", "RocksDB's Ribbon", 5.15, 0.055, "normal")
    name("compact", "compact", 5.15, 0.033, "bold")
    canvas.label(axes, bloom_bits, rate, f"\N{MINUS SIGN}{saved}", offset=(-8, -16), ha="right",
                 weight="bold")
    axes.annotate("", (compact_bits, rate), (bloom_bits, rate),
                  arrowprops={"arrowstyle": "-|>", "color": style.INK,
                              "linewidth": canvas.points(1.6), "shrinkA": 5, "shrinkB": 5})
    return canvas


LEVELS = "| filter | wasted reads per lookup"
COLORS_OF_LEVELS = {
    "RocksDB's Bloom": "bloom",
    "RocksDB's Ribbon": "ribbon",
    "Bloom by level": "bloom",
    "Ribbon by level": "ribbon",
    "compact by level": "compact",
    "compact": "compact",
    "blocked by level": "blocked",
    "blocked": "blocked",
}


def wasted_reads():
    measured = []
    for cells in read_markdown("rocksdb.md", LEVELS):
        if cells[0] not in COLORS_OF_LEVELS:
            raise Missing(f"{cells[0]!r} of docs/rocksdb.md is in no picture")
        measured.append((cells[0], first_number(cells[1])))
    by_name = dict(measured)
    try:
        times = by_name["RocksDB's Bloom"] / by_name["Ribbon by level"]
    except KeyError as name:
        raise Missing(f"docs/rocksdb.md has no {name}") from name

    canvas = style.Canvas(
        560, 460, f"RocksDB's own Ribbon filter by level: {int(times)} times fewer wasted reads",
        "wasted reads in 100 lookups of missing keys; five levels, 10 bits per key; "
        "RocksDB alone reads the first four")
    axes = canvas.bare_axes(196, canvas.header + 14, 304, 430 - canvas.header)
    gap = 0.35  # between the filters that RocksDB reads alone and the others
    readable = [COLORS_OF_LEVELS[name] in ("bloom", "ribbon") for name, _ in measured]
    places = [i + gap * (not alone) for i, alone in enumerate(readable)]
    axes.set_xlim(0, 1.02 * max(value for _, value in measured))
    axes.set_ylim(len(measured) - 0.5 + gap, -0.5)
    for place, (name, value) in zip(places, measured):
        color = style.COLORS[COLORS_OF_LEVELS[name]]
        axes.barh(place, value, height=0.62, color=color)
        canvas.label(axes, 0, place, name, size=13, offset=(-10, 0), ha="right", color=color,
                     weight="bold" if name == "Ribbon by level" else "normal")
        canvas.label(axes, value, place, f"{value:.2f}" if value >= 0.1 else f"{value:.3f}", size=13,
                     offset=(7, 0), weight="bold")
    return canvas


RANGES = "| keys | the range | without"
# Columns of the table: name, colour.
SUBJECTS = {
    2: ("no filter for ranges", "none"),
    3: ("RocksDB's prefix filter", "bloom"),
    4: ("bloomline's filter", "compact"),
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
            ours = color == "compact"
            axes.barh(y, value, height=15, color=style.COLORS[color])
            canvas.label(axes, 0, y, name, size=13, offset=(-10, 0), ha="right",
                         color=style.COLORS[color], weight="bold" if ours else "normal")
            canvas.label(axes, value, y, f"{value:g}", size=13, offset=(7, 0),
                         weight="bold" if ours else "normal")
    return canvas


def main():
    bench = DOCS.parent / "db_bench_ext"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=pathlib.Path, default=bench / "results", metavar="DIR",
                        help="folder of filters.csv (%(default)s)")
    parser.add_argument("--out", type=pathlib.Path, default=DOCS / "images", metavar="DIR",
                        help="folder of the pictures (%(default)s)")
    flags = parser.parse_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    try:
        with open(flags.results / "filters.csv", newline="", encoding="utf-8") as file:
            filters = list(csv.DictReader(file))
        memory_and_rate(filters).save(flags.out / "memory_and_rate.svg")
        wasted_reads().save(flags.out / "wasted_reads.svg")
        empty_ranges().save(flags.out / "empty_ranges.svg")
    except (OSError, Missing) as reason:
        sys.exit(f"The pictures were not drawn: {reason}")


if __name__ == "__main__":
    main()
