"""Pictures of filters.csv: the time of a query for a missing key by the size of the filter."""
import matplotlib.ticker

import memory_and_rate
import style
import tables


def lines(canvas, axes, curves, min_gap):
    """Curves of (look, label, points), each named at its right end, labels `min_gap` pixels apart."""
    for look, _, points in curves:
        axes.plot(*zip(*points), **canvas.line(look))
    high = axes.get_ylim()[1]
    height = axes.get_position().height * canvas.height
    ends = sorted((points[-1][1] * height / high, look, label) for look, label, points in curves)
    places = []
    for end, _, _ in ends:
        places.append(max(end, places[-1] + min_gap) if places else end)
    # Labels that were pushed up share the way with those below them.
    for i in range(len(places) - 1, 0, -1):
        excess = places[i] - ends[i][0]
        if excess > min_gap / 2:
            places[i - 1] = min(places[i - 1], places[i] - min_gap)
    last = max(point[0] for _, _, points in curves for point in points)
    for place, (_, look, label) in zip(places, ends):
        canvas.label(axes, last, place * high / height, label, offset=(10, 0),
                     color=canvas.color(look), weight="normal" if "RocksDB" in label else "bold")


def curve(table, subject):
    points = [(tables.number(row, "keys"), tables.number(row, "ns_per_key_median"))
              for row in table if row["subject"] == subject and row["bits_per_key"] == "10"]
    return sorted(points)


def prepare(canvas, axes, curves):
    axes.set_xscale("log")
    axes.set_ylim(0, 1.06 * max(y for _, _, points in curves for _, y in points))
    axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    axes.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(
        lambda value, _: f"{value / 1e6:g} million" if value >= 1e6 else f"{value:,.0f}"))
    style.y_grid(axes, canvas.theme)
    axes.set_xlabel("keys in the filter", color=canvas.theme.ink, fontsize=canvas.points(13))


def missing_key_query(theme, table):
    table = memory_and_rate.queries(table)
    blocked = memory_and_rate.fastest(table, "blocked", memory_and_rate.KERNELS)
    compact = memory_and_rate.fastest(table, "compact", memory_and_rate.KERNELS)
    curves = []
    for family, policy in (("Bloom", "builtin-bloom"), ("Ribbon", "builtin-ribbon")):
        look = style.look(policy)
        for build, dash in (("packaged", (0, (2, 1.5))), ("native", "-")):
            points = curve(table, f"{family} {build}")
            if points:
                curves.append((style.Look(look.name, look.color, look.marker, dash),
                               f"RocksDB's {family}, {build}", points))
    curves.append((style.look("blocked"), blocked, curve(table, blocked)))
    curves.append((style.look("compact"), compact, curve(table, compact)))

    def share(subject, family):
        other = memory_and_rate.fastest(table, family, memory_and_rate.BUILDS)
        ratios = [100 * one[1] / two[1] for one, two in zip(curve(table, subject),
                                                            curve(table, other))]
        return f"{min(ratios):.0f} to {max(ratios):.0f} %"

    canvas = style.Canvas(
        theme, 830, 490, f"compact answers in {share(compact, 'Ribbon')} of Ribbon's time,\n"
        f"blocked in {share(blocked, 'Bloom')} of Bloom's",
        "nanoseconds per query for a missing key through RocksDB's interface, hashing included;\n"
        "10 bits per key (compact and Ribbon: 7)")
    axes = canvas.axes(52, canvas.header + 12, 560, 490 - canvas.header - 12 - 56)
    prepare(canvas, axes, curves)
    lines(canvas, axes, curves, 20)
    return canvas


def kernels(theme, table):
    table = memory_and_rate.queries(table)
    panels = []
    for family in ("blocked", "compact"):
        look = style.look(family)
        dashes = {"portable": (0, (1, 1.2)), "popcnt": (0, (3, 1.5)), "neon": "-", "avx2": (0, (6, 1.5)),
                  "avx512": "-"}
        markers = {"portable": "o", "popcnt": "s", "neon": "D", "avx2": "^", "avx512": "D"}
        curves = [(style.Look(kernel, look.color, markers[kernel], dashes[kernel]), kernel, points)
                  for kernel in memory_and_rate.KERNELS
                  for points in [curve(table, f"{family} {kernel}")] if points]
        panels.append((family, curves))

    def gain(curves):
        return max(slow[1] / fast[1] for slow, fast in zip(curves[-1][2], curves[0][2]))

    best = panels[0][1][0][1]
    canvas = style.Canvas(
        theme, 830, 430, f"{best} answers up to {gain(panels[0][1]):.1f} times (blocked) and "
        f"{gain(panels[1][1]):.1f} times (compact)\nas fast as portable code",
        "nanoseconds per query for a missing key, by kernel; 10 bits per key (compact: 7)")
    top = canvas.header + 40
    highest = max(y for _, curves in panels for _, _, points in curves for _, y in points)
    for i, (family, curves) in enumerate(panels):
        left = 48 + 400 * i
        axes = canvas.axes(left, top, 275, 430 - top - 56)
        prepare(canvas, axes, curves)
        axes.set_ylim(0, 1.06 * highest)
        axes.set_xticks([1e3, 1e5, 1e7])
        canvas.text(left, top - 22, family, weight="bold", size=14,
                    color=canvas.color(style.look(family)))
        lines(canvas, axes, curves, 18)
    return canvas


def pictures(results):
    table = tables.read_csv(results / "filters.csv")
    yield "missing_key_query", lambda theme: missing_key_query(theme, table)
    yield "kernels", lambda theme: kernels(theme, table)
    yield "memory_and_rate", lambda theme: memory_and_rate.draw(theme, table)
