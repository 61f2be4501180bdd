"""Pictures of the results of a run, with matplotlib's own layout and colours."""
import math

from matplotlib import figure

import tables

ENGINES = {"leveldb": "LevelDB", "rocksdb": "RocksDB"}


def bars(title, xlabel, groups, column, scale=1):
    """A panel of bars for each of the groups: (heading, CSV lines). A column with a median has the
    range of the rounds, too."""
    heights = [max(1, len(rows)) for _, rows in groups]
    drawn = figure.Figure(figsize=(8, 1.2 + 0.55 * len(groups) + 0.25 * sum(heights)),
                          layout="constrained")
    drawn.suptitle(title)
    panels = drawn.subplots(len(groups), sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for axes, (heading, rows) in zip(panels, groups):
        has_rounds = rows and column + "_median" in rows[0]
        values = [scale * tables.number(row, column + "_median" * has_rounds) for row in rows]
        ends = None
        if has_rounds:
            low, high = ([scale * tables.number(row, f"{column}_{end}") for row in rows]
                         for end in ("min", "max"))
            ends = [[value - end for value, end in zip(values, low)],
                    [end - value for value, end in zip(values, high)]]
        drawn_bars = axes.barh([row["policy"] for row in rows], values, xerr=ends)
        axes.bar_label(drawn_bars, labels=["" if math.isnan(value) else f"{value:.3g}"
                                           for value in values], padding=3)
        axes.invert_yaxis()
        axes.set_title(heading, loc="left", fontsize="medium")
        axes.margins(x=0.12)
    panels[-1].set_xlabel(xlabel)
    return drawn


def by(rows, *columns):
    """Groups of rows: (the values of the columns, rows)."""
    groups = {}
    for row in rows:
        groups.setdefault(", ".join(row[column] for column in columns), []).append(row)
    return list(groups.items())


def databases(results):
    for engine_and_bits, rows in by(tables.read_csv(results / "compare.csv"), "engine",
                                    "requested_bits_per_key"):
        engine, bits = engine_and_bits.split(", ")
        title = f"{ENGINES[engine]}, {bits} bits per key"
        name = f"{engine}_{bits}bits"
        filtered = [row for row in rows if row["policy"] != "none"]
        yield f"fpr_{name}", bars(
            title, "false-positive rate in % for missing keys adjacent to stored ones",
            by(filtered, "keys"), "near_fpr", scale=100)
        yield f"miss_latency_{name}", bars(
            title, "µs per Get of a missing key adjacent to a stored one", by(rows, "keys"),
            "near_miss_us")
        yield f"memory_{name}", bars(title, "bits per key as written in the SSTables",
                                     by(filtered, "keys"), "filter_block_bits_per_key")


def db_bench(results):
    for engine, rows in by(tables.read_csv(results / "db_bench.csv"), "engine"):
        title = f"{ENGINES[engine]}'s own db_bench"
        yield f"db_bench_speed_{engine}", bars(
            title, "operations per second as a multiple of built-in Bloom's",
            by(rows, "workload", "keys"), "times_bloom")
        yield f"db_bench_fpr_{engine}", bars(
            title, "false positives in % of the missing keys that were queried",
            by([row for row in rows if row["fpr"]], "workload", "keys"), "fpr", scale=100)


def disk(results):
    for workload, rows in by(tables.read_csv(results / "disk.csv"), "workload"):
        yield f"disk_speed_{workload}", bars(
            f"RocksDB where memory is short: {workload}",
            "keys per second as a multiple of built-in Bloom's; by layout of the filters and size of "
            "the cache", by(rows, "filters", "cache_times_bloom_filters"), "times_bloom")
    of_last_level = [row for row in tables.read_csv(results / "disk_levels.csv")
                     if row["level"] == "5" and row["policy"] != "none"]
    yield "disk_wasted_reads", bars(
        "False positives per lookup of a missing key in five levels", "%",
        by(of_last_level, "filters"), "wasted_reads_of_all_levels", scale=100)


def filters(results):
    rows = [row for row in tables.missing_key_queries(tables.read_csv(results / "filters.csv"))
            if row["bits_per_key"] == "10"]

    def is_shown(row):  # RocksDB's own filters, and bloomline's with the fastest kernel
        family, variant = row["subject"].rsplit(" ", 1)
        fastest = min((other for other in rows if other["subject"].startswith(family + " ")),
                      key=lambda other: tables.number(other, "ns_per_key_median"))
        return variant in ("native", "packaged") or (
            family in ("blocked", "compact") and row["subject"] == fastest["subject"])

    drawn = figure.Figure(figsize=(8, 6), layout="constrained")
    axes = drawn.subplots()
    for subject, of_subject in by(filter(is_shown, rows), "subject"):
        points = sorted((tables.number(row, "keys"), tables.number(row, "ns_per_key_median"))
                        for row in of_subject)
        axes.plot(*zip(*points), marker="o", label=subject)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("keys in the filter")
    axes.set_ylabel("ns per key")
    axes.set_title("A query for a missing key through RocksDB's interface, 10 bits per key")
    axes.legend()
    yield "missing_key_query", drawn
