"""Blocks that scans of empty ranges touch, from the table of docs/ranges.md: a picture of
README.md."""
import style
import tables

HEADING = "| keys | the range | without"
# Columns of the table: name, colour.
SUBJECTS = {
    2: ("no filter for ranges", "none"),
    3: ("RocksDB's prefix filter", "bloom"),
    4: ("range_prefixes=auto", "compact"),
}
# Rows of the table: keys of programs, a real list, and the row that gains least.
SHOWN = ("user:17:post:4", "device, microseconds: 8 bytes", "files of a machine",
         "YCSB: user and a hash in digits")
ROW, GROUP = 21, 92


def draw(table):
    rows = [cells for keys in SHOWN for cells in table if cells[0] == keys]
    assert len(rows) == len(SHOWN), "docs/ranges.md has other rows"
    values = [[tables.first_number(cells[column]) for column in SUBJECTS] for cells in rows]
    autos = [value[2] for value in values]
    withouts = [value[0] for value in values]
    canvas = style.Canvas(
        560, lambda header: header + 10 + GROUP * len(rows),
        f"Scans of empty ranges touch {min(autos):g} to {max(autos):g} blocks, not "
        f"{min(withouts):g} to {max(withouts):g}",
        "blocks of data and indexes per scan, by the form of the keys; RocksDB, three or four levels, "
        "filters of 10 bits per key", scale=1.2)
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
