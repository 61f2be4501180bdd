"""Pictures of filters.csv: the time of a query for a missing key by the size of the filter."""
import dataclasses

import matplotlib.ticker

import memory_and_rate
import style
import tables

# How a kernel is drawn: dash and marker.
KERNELS = {"portable": ((0, (1, 1.2)), "o"), "neon": ("-", "D"),
           "avx2": ((0, (6, 1.5)), "^"), "avx512": ("-", "D")}
PACKAGED = (0, (2, 1.5))


@dataclasses.dataclass
class Curve:
    look: style.Look
    label: str
    weight: str
    points: list  # (keys, nanoseconds)


def curve(table, subject, look, label=None, weight="bold"):
    points = sorted((tables.number(row, "keys"), tables.number(row, "ns_per_key_median"))
                    for row in table
                    if row["subject"] == subject and row["bits_per_key"] == "10")
    return Curve(look, label or subject, weight, points)


def spread(places, gap):
    """Moves sorted places apart until neighbours have the gap, to 1 %."""
    places = list(places)
    for _ in range(200):
        for i in range(len(places) - 1):
            lacking = gap - (places[i + 1] - places[i])
            if lacking > 0.01 * gap:
                places[i] -= lacking / 2
                places[i + 1] += lacking / 2
    return places


def plot(canvas, axes, curves, gap, highest):
    """Curves with their names at the right ends, at least `gap` pixels apart."""
    axes.set_xscale("log")
    axes.set_ylim(0, 1.06 * highest)
    axes.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    axes.xaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(
        lambda value, _: f"{value / 1e6:g} M" if value >= 1e6 else f"{value:,.0f}"))
    style.grid(axes, "y")
    axes.set_xlabel("keys in the filter", color=style.INK, fontsize=canvas.points(13))
    for one in curves:
        axes.plot(*zip(*one.points), **canvas.line(one.look))
    curves = sorted(curves, key=lambda one: one.points[-1][1])
    pixel = 1.06 * highest / (axes.get_position().height * canvas.height)
    places = spread([one.points[-1][1] for one in curves], gap * pixel)
    for one, place in zip(curves, places):
        canvas.label(axes, one.points[-1][0], place, one.label, offset=(10, 0),
                     color=canvas.color(one.look), weight=one.weight)


def highest_of(curves):
    return max(nanoseconds for one in curves for _, nanoseconds in one.points)


def ratios(curve, other):
    """By number of keys."""
    others = dict(other.points)
    return [time / others[keys] for keys, time in curve.points if keys in others]


def missing_key_query(table):
    table = tables.missing_key_queries(table)
    best = tables.best_subjects(table)
    curves = {policy: curve(table, best[policy], style.look(policy))
              for policy in ("blocked", "compact")}
    for family, policy in (("Bloom", "builtin-bloom"), ("Ribbon", "builtin-ribbon")):
        for build in tables.BUILDS:
            look = style.look(policy)
            look = dataclasses.replace(look, dash=PACKAGED if build == "packaged" else "-")
            subject = f"{family} {build}"
            peer = curve(table, subject, look, f"RocksDB's {family}, {build}", "normal")
            if peer.points:
                curves[policy if subject == best[policy] else subject] = peer

    def share(policy, peer):
        percents = [100 * ratio for ratio in ratios(curves[policy], curves[peer])]
        ends = dict.fromkeys(f"{end:.0f}" for end in (min(percents), max(percents)))
        return " to ".join(ends) + " %"

    canvas = style.Canvas(
        style.WIDTH, 460,
        f"compact answers in {share('compact', 'builtin-ribbon')} of Ribbon's time, "
        f"blocked in {share('blocked', 'builtin-bloom')} of Bloom's",
        "nanoseconds per query for a missing key through RocksDB's interface, hashing included; "
        "10 bits per key (compact and Ribbon: 7)")
    axes = canvas.axes(44, canvas.header + 12, 390, 460 - canvas.header - 12 - 56)
    plot(canvas, axes, curves.values(), 20, highest_of(curves.values()))
    return canvas


def kernels(table):
    table = tables.missing_key_queries(table)
    panels = {}
    for family in ("blocked", "compact"):
        curves = []
        for kernel in tables.KERNELS:
            dash, marker = KERNELS[kernel]
            look = dataclasses.replace(style.look(family), dash=dash, marker=marker)
            curves.append(curve(table, f"{family} {kernel}", look, kernel))
        panels[family] = [one for one in curves if one.points]
        if not panels[family]:
            raise tables.Missing(f"no queries of {family!r}")

    def gain(curves):
        return max(ratios(curves[-1], curves[0]))

    canvas = style.Canvas(
        style.WIDTH, 400, f"{panels['blocked'][0].label} answers up to "
        f"{gain(panels['blocked']):.1f} times (blocked) and {gain(panels['compact']):.1f} times "
        f"(compact) as fast as {panels['blocked'][-1].label} code",
        "nanoseconds per query for a missing key, by kernel; 10 bits per key (compact: 7)")
    top = canvas.header + 40
    highest = max(highest_of(curves) for curves in panels.values())
    for i, (family, curves) in enumerate(panels.items()):
        left = 40 + 310 * i
        axes = canvas.axes(left, top, 200, 400 - top - 56)
        canvas.text(left, top - 22, family, weight="bold", size=14,
                    color=canvas.color(style.look(family)))
        plot(canvas, axes, curves, 18, highest)
        axes.set_xticks([keys for keys, _ in curves[0].points][::2])
    return canvas


def pictures(results):
    table = tables.read_csv(results / "filters.csv")
    yield "missing_key_query", lambda: missing_key_query(table)
    yield "kernels", lambda: kernels(table)
    yield "memory_and_rate", lambda: memory_and_rate.draw(table)
