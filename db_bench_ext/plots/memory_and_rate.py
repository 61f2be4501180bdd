"""Bits per key against false-positive rate, from filters.csv: a picture of README.md."""
import style
import tables

KEYS = 1000000
WIDTH, HEIGHT = 560, 460


def curve(rows, subject):
    # Compact filters are measured at Bloom's rate ("compact") and at Bloom's memory.
    subjects = (subject, subject.replace("compact ", "compact=mem "))
    points = {tables.number(row, "written_bits_per_key"): 100 * tables.number(row, "fpr")
              for row in rows if row["subject"] in subjects}
    return zip(*sorted(points.items()))


def prepare(canvas):
    top = canvas.header + 12
    axes = canvas.axes(78, top, WIDTH - 78 - 22, HEIGHT - top - 62)
    axes.set_yscale("log")
    axes.set_xlim(5, 17)
    axes.set_ylim(0.004, 4)
    axes.set_xticks(range(6, 17, 2))
    ticks = (0.01, 0.1, 1)
    axes.set_yticks(ticks, [f"{tick:g} %" for tick in ticks])
    style.grid(axes, "y")
    axes.set_xlabel("bits per key", color=style.INK, fontsize=canvas.points(13))
    axes.plot((5, 17), [100 * 2 ** -bits for bits in (5, 17)], color=style.MUTED,
              linestyle=(0, (1, 1.5)), linewidth=canvas.points(2))
    canvas.label(axes, 13.2, 0.0062, "information limit", color=style.MUTED, ha="right")
    return axes


def draw(rows):
    measured = tables.missing_key_queries(rows)
    # A quick run has only small filters.
    keys = max((int(row["keys"]) for row in measured if int(row["keys"]) <= KEYS), default=0)
    measured = [row for row in measured if int(row["keys"]) == keys]
    subjects = tables.best_subjects(measured)
    at_ten = {row["subject"]: row for row in measured if row["bits_per_key"] == "10"}

    def of(policy, column):
        return tables.number(at_ten[subjects[policy]], column)

    bloom_bits = of("builtin-bloom", "written_bits_per_key")
    compact_bits = of("compact", "written_bits_per_key")
    rate = 100 * of("builtin-bloom", "fpr")
    saved = f"{100 * (1 - compact_bits / bloom_bits):.0f} %"
    is_packaged = "packaged" in subjects["builtin-bloom"]
    packaged = " (RocksDB's filters: as packaged, portable)" if is_packaged else ""
    canvas = style.Canvas(
        WIDTH, HEIGHT,
        f"compact saves {saved} of Bloom's memory at the same false-positive rate",
        "false-positive rate by bits per key; ns: one query" + packaged, scale=1.2)
    axes = prepare(canvas)

    def plot(policy, **more):
        look = style.look(policy)
        axes.plot(*curve(measured, subjects[policy]), color=canvas.color(look), marker=look.marker,
                  markeredgewidth=0, **more)

    # Curves lie on top of each other in pairs: RocksDB's are wide, with ours inside.
    for policy in ("builtin-bloom", "builtin-ribbon"):
        plot(policy, alpha=0.45, linewidth=canvas.points(7), markersize=canvas.points(12))
    for policy in ("blocked", "compact"):
        plot(policy, linewidth=canvas.points(2), markersize=canvas.points(7))

    def name(policy, text, x, y, weight):
        canvas.label(axes, x, y, f"{text}, {of(policy, 'ns_per_key_median'):.2g} ns", weight=weight,
                     color=canvas.color(style.look(policy)))

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
