"""Lookups of missing keys that read a block, from the table of docs/levels.md: a picture of
README.md."""
import style
import tables

HEADING = "| filter | wasted reads per lookup"
LOOKS = {
    "RocksDB's Bloom": "builtin-bloom",
    "RocksDB's Ribbon": "builtin-ribbon",
    "Bloom by level": "bloom-by-level",
    "Ribbon by level": "ribbon-by-level",
    "blocked": "blocked",
    "blocked by level": "blocked",
    "compact": "compact",
    "compact by level": "compact",
}


def draw(rows):
    measured = []
    for cells in rows:
        if cells[0] not in LOOKS:
            raise tables.Missing(f"{cells[0]!r} of docs/levels.md is in no picture")
        measured.append((cells[0], tables.first_number(cells[1])))
    by_name = dict(measured)
    try:
        times = by_name["RocksDB's Bloom"] / by_name["compact by level"]
    except KeyError as name:
        raise tables.Missing(f"docs/levels.md has no {name}") from name

    canvas = style.Canvas(
        560, 460, f"compact by level: {int(times)} times fewer wasted reads than Bloom",
        "wasted reads in 100 lookups of missing keys; "
        "RocksDB, five levels, all with 10 bits per key",
        scale=1.2)
    axes = canvas.bare_axes(196, canvas.header + 14, 304, 430 - canvas.header)
    gap = 0.35  # between what RocksDB does and what bloomline does
    places = [i + gap * (not name.startswith("RocksDB")) for i, (name, _) in enumerate(measured)]
    axes.set_xlim(0, 1.02 * max(value for _, value in measured))
    axes.set_ylim(len(measured) - 0.5 + gap, -0.5)
    for place, (name, value) in zip(places, measured):
        color = canvas.color(style.look(LOOKS[name]))
        ours = not name.startswith("RocksDB")
        axes.barh(place, value, height=0.62, color=color)
        canvas.label(axes, 0, place, name, size=13, offset=(-10, 0), ha="right", color=color,
                     weight="bold" if ours else "normal")
        canvas.label(axes, value, place, style.short(value), size=13, offset=(7, 0),
                     weight="bold")
    return canvas
