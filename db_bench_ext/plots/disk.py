"""Pictures of disk.csv and disk_levels.csv: RocksDB where memory is short."""
import math

from matplotlib.patches import Rectangle

import rows
import style
import tables

WORKLOADS = {
    "readmissing": "Missing keys",
    "readrandom-uniform": "Stored keys",
    "readrandom-zipf": "Stored keys (Zipf)",
    "mixed-uniform": "Half of the keys missing",
    "mixed-zipf": "Half of the keys missing (Zipf)",
    "multiget-mixed-zipf": "MultiGet, half of the keys missing (Zipf)",
}


def regimes(table):
    """Of one thread: (layout, cache as a multiple of Bloom's filters), in the order of the rows."""
    return list(dict.fromkeys((row["filters"], row["cache_times_bloom_filters"])
                              for row in table if row["threads"] == "1"))


def of_workload(table, workload):
    return {(row["filters"], row["cache_times_bloom_filters"], row["policy"]): row
            for row in table if row["threads"] == "1" and row["workload"] == workload}


def policies(table, without=("none", "builtin-bloom")):
    return [policy for policy in tables.in_order(table, "policy") if policy not in without]


def times(cache):
    return f"{float(cache):.2g}x"


def speed(table, workload):
    """A table of numbers, coloured: eight regimes of eleven policies are too many for bars."""
    cells = of_workload(table, workload)
    columns = regimes(table)
    names = policies(table)
    ratio = {key: tables.number(row, "times_bloom_median") for key, row in cells.items()}
    best = max((key for key in ratio if key[2] in names and ratio[key] > 0), key=ratio.get,
               default=None)
    if best is None:
        raise tables.Missing("no policy was compared with built-in Bloom")
    left, row_height = 186, 30
    column = (style.WIDTH - left - 10) / len(columns)
    title = (f"{WORKLOADS.get(workload, workload)}: up to {ratio[best]:.2f} times the speed of "
             "built-in Bloom")
    subtitle = ("keys per second as a multiple of built-in Bloom's in the same round, by layout of "
                "the filters and size of the cache (1x: as large as Bloom's filters)")
    body = row_height * len(names)
    canvas = style.Canvas(style.WIDTH, lambda header: header + 54 + body + 12, title,
                          subtitle)
    top = canvas.header + 54
    axes = canvas.bare_axes(0, 0, canvas.width, canvas.height)
    axes.set_xlim(0, canvas.width)
    axes.set_ylim(canvas.height, 0)
    axes.axis("off")
    for i, (layout, cache) in enumerate(columns):
        x = left + column * i
        if i == 0 or columns[i - 1][0] != layout:
            canvas.text(x + 4, top - 34, layout, weight="bold", va="center")
        canvas.text(x + column / 2, top - 13, times(cache), va="center", ha="center")
        for j, policy in enumerate(names):
            value = ratio.get((layout, cache, policy), float("nan"))
            y = top + row_height * j
            if value != value:
                continue
            axes.add_patch(Rectangle((x + 1, y + 1), column - 2, row_height - 2, linewidth=0,
                                     **shade(value)))
            canvas.text(x + column / 2, y + row_height / 2, f"{value:.2f}", size=14, va="center",
                        ha="center", weight="bold" if abs(math.log2(value)) > 0.25 else "normal")
    canvas.names(names, left - 10, top, row_height)
    return canvas


def shade(ratio):
    """Faster than Bloom is blue, slower is orange, equal is the paper."""
    strength = min(1, abs(math.log2(ratio)) / 2) * 0.6
    return {"facecolor": style.COLORS["bloom" if ratio > 1 else "blocked"], "alpha": strength}


def wasted_reads(table):
    """Of full filters, in which nothing but the bits matters."""
    layouts = tables.in_order(table, "filters")
    layout = "full" if "full" in layouts else layouts[0]
    measured = {}
    for row in table:
        if row["filters"] == layout and row["policy"] != "none":
            measured.setdefault(row["policy"], row)
    value = {policy: tables.number(row, "wasted_reads_of_all_levels")
             for policy, row in measured.items()}

    def bits(policy):
        of_policy = [row for row in table if row["filters"] == layout and row["policy"] == policy]
        return 8 * sum(tables.number(row, "filter_bytes") for row in of_policy) / sum(
            tables.number(row, "keys") for row in of_policy)

    if not {"by-level", "builtin-bloom"} <= measured.keys():
        raise tables.Missing("no rows of by-level or builtin-bloom")
    picture = [("", [rows.Row(style.look(policy), 100 * value[policy],
                              other=100 * tables.number(row, "model_wasted_reads_of_all_levels"),
                              text=f"{style.percent(value[policy])} "
                                   f"({bits(policy):.1f} bits per key)")
                     for policy, row in measured.items()])]
    return rows.picture(
        f"compact by level wastes {style.percent(value['by-level'])} of its lookups, "
        f"built-in Bloom {style.percent(value['builtin-bloom'])}",
        f"false positives per lookup of a missing key in five levels, {layout} filters; "
        "stroke: model",
        picture, bars=True, right=190, tick=lambda value: f"{value:g} %")


def pictures(results):
    table = tables.read_csv(results / "disk.csv")
    levels = tables.read_csv(results / "disk_levels.csv")
    yield "disk_wasted_reads", lambda: wasted_reads(levels)
    for workload in tables.in_order(table, "workload"):
        yield f"disk_speed_{workload}", lambda workload=workload: speed(table, workload)
