"""Bits per key against false-positive rate, from filters.csv: a picture of README.md."""
import style
import tables

KEYS = 1000000
KERNELS = ("avx512", "avx2", "neon", "popcnt", "portable")
BUILDS = ("native", "packaged")


def queries(rows):
    """One query per call for missing keys, from one thread."""
    return [row for row in rows
            if row["kind"] == "query" and row["mode"] == "single" and row["hit_percent"] == "0"
            and row["offset"] == "16" and row["threads"] == "1"]


def fastest(rows, family, variants):
    """The subject of a family in the best variant that was measured."""
    measured = {row["subject"] for row in rows}
    for variant in variants:
        if f"{family} {variant}" in measured:
            return f"{family} {variant}"
    raise tables.Missing(f"filters.csv has no queries of {family!r}")


def curve(rows, subjects):
    points = {}
    for row in rows:
        if row["subject"] in subjects:
            points[tables.number(row, "written_bits_per_key")] = tables.number(row, "fpr")
    return zip(*sorted(points.items()))


def draw(theme, rows):
    measured = queries(rows)
    # A quick run has only small filters.
    keys = max((int(row["keys"]) for row in measured if int(row["keys"]) <= KEYS), default=0)
    measured = [row for row in measured if int(row["keys"]) == keys]
    compact = fastest(measured, "compact", KERNELS)
    subjects = {
        "builtin-bloom": [fastest(measured, "Bloom", BUILDS)],
        "builtin-ribbon": [fastest(measured, "Ribbon", BUILDS)],
        "blocked": [fastest(measured, "blocked", KERNELS)],
        # Measured at Bloom's rate, and at Bloom's memory.
        "compact": [compact, compact.replace("compact", "compact=mem")],
    }

    def at_ten(policy, column):
        for row in measured:
            if row["subject"] == subjects[policy][0] and row["bits_per_key"] == "10":
                return tables.number(row, column)
        raise tables.Missing(f"filters.csv has no {subjects[policy][0]!r} with 10 bits per key")

    bloom_bits = at_ten("builtin-bloom", "written_bits_per_key")
    compact_bits = at_ten("compact", "written_bits_per_key")
    rate = at_ten("builtin-bloom", "fpr")
    saved = 100 * (1 - compact_bits / bloom_bits)

    canvas = style.Canvas(
        theme, 560, 460, f"compact saves {saved:.0f} % of Bloom's memory\nat the same false-positive rate",
        "false-positive rate by bits per key;\nns: a query for a missing key", scale=1.2)
    axes = canvas.axes(78, canvas.header + 12, 560 - 78 - 22, 460 - canvas.header - 12 - 62)
    axes.set_yscale("log")
    axes.set_xlim(5, 17)
    axes.set_ylim(0.004, 4)
    axes.set_xticks(range(6, 17, 2))
    ticks = (0.01, 0.1, 1)
    axes.set_yticks(ticks, [f"{tick:g} %" for tick in ticks])
    style.y_grid(axes, theme)
    axes.set_xlabel("bits per key", color=theme.ink, fontsize=canvas.points(13))

    axes.plot((5, 17), [100 * 2 ** -bits for bits in (5, 17)], color=theme.muted,
              linestyle=(0, (1, 1.5)), linewidth=canvas.points(2))
    # Curves lie on top of each other in pairs: RocksDB's are wide, with ours inside.
    for policy, width in (("builtin-bloom", 7), ("builtin-ribbon", 7), ("blocked", 2),
                          ("compact", 2)):
        look = style.look(policy)
        bits, rates = curve(measured, subjects[policy])
        ours = width < 7
        axes.plot(bits, [100 * rate for rate in rates], color=canvas.color(look),
                  alpha=1 if ours else 0.45, linewidth=canvas.points(width),
                  marker=look.marker, markersize=canvas.points(7 if ours else 12),
                  markeredgewidth=0)

    def name(policy, text, x, y, weight):
        nanoseconds = at_ten(policy, "ns_per_key_median")
        canvas.label(axes, x, y, f"{text}, {nanoseconds:.2g} ns", weight=weight,
                     color=canvas.color(style.look(policy)))

    name("builtin-bloom", "RocksDB's Bloom", 10.8, 2.3, "normal")
    name("blocked", "blocked", 10.8, 1.38, "bold")
    name("builtin-ribbon", "RocksDB's Ribbon", 5.15, 0.055, "normal")
    name("compact", "compact", 5.15, 0.033, "bold")
    canvas.label(axes, 13.2, 0.0062, "information limit", color=theme.muted, ha="right")
    canvas.label(axes, bloom_bits, 100 * rate, f"\N{MINUS SIGN}{saved:.0f} %", offset=(-8, -16),
                 ha="right", weight="bold")
    axes.annotate("", (compact_bits, 100 * rate), (bloom_bits, 100 * rate),
                  arrowprops={"arrowstyle": "-|>", "color": theme.ink,
                              "linewidth": canvas.points(1.6), "shrinkA": 5, "shrinkB": 5})
    return canvas
