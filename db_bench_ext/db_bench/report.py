"""Rows as text and as CSV."""
import csv
import io
import statistics
import textwrap

import measurements

LEGEND = {
    "databases": "in {folder}, not compressed; the engine's cache holds 8 MiB of data blocks; write "
    "buffers of 8 MiB (RocksDB) and {leveldb_buffer} KiB (LevelDB); RocksDB without write-ahead log. "
    "fillrandom writes a random number --num times, so about 63 % of the numbers below --num are "
    "stored. Compacted to one level before anything is read",
    "timing": "rounds: {fill_rounds} of fillrandom, {rounds} of the others; each runs the process of "
    "every policy, another one first. kops/s: thousands of operations per second, median of the "
    "rounds. times Bloom: as a multiple of built-in Bloom's in the same round, median and range. CPU "
    "s: of RocksDB's process that fills, flushes and compacts, median",
    "counts": "from runs of their own, because counting takes time. useful: queries that the filter "
    "answered with \"no\"; false +: that it answered with \"may match\" for a missing key; FPR: "
    "false + as a part of both",
    "filters": "KiB and bits per key as written in the SSTables (LevelDB: without its own array of "
    "offsets)",
    "readrandom": "asks for stored and missing numbers",
    "readmissing": "RocksDB: numbers with one byte more than stored keys. LevelDB: with one byte less "
    "(15 instead of 16), which hides what its filter does to neighbours",
    "through": "how the distribution's unmodified db_bench comes to the policy: flag, its own; "
    "options file (--options_file); preload, libbloomline_rocksdb_preload.so in place of what the "
    "flag --bloom_bits makes. "
    "extension: LevelDB's db_bench built with db_bench_ext/db_bench/leveldb",
    "policies": "bloomline writes and queries RocksDB's Ribbon filters of ribbon and ribbon-by-level "
    "(bits_per_key={ribbon_bits}: Bloom's memory in full levels)",
}


def legend(**values):
    return "".join(
        textwrap.fill(text.format(ribbon_bits=measurements.SAME_MEMORY_RIBBON_BITS, **values), width=96,
                      initial_indent=f"{name:<12}", subsequent_indent=" " * 12) + "\n"
        for name, text in LEGEND.items())


def _number(value, decimals, none="-"):
    return none if value is None else f"{value:.{decimals}f}"


def _percent(rate):
    return _number(None if rate is None else 100 * rate, 3)


def _times(rows, row):
    ratios = sorted(rows.ratios(row))
    if not ratios or row.policy == measurements.BASELINE:
        return "", ""
    middle = statistics.median(ratios)
    return f"{middle:.2f}", f"{ratios[0]:.2f}-{ratios[-1]:.2f}"


def _cpu_seconds(row):
    return statistics.median(row.cpu_seconds) if row.cpu_seconds else None


def _align(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    left = 3  # the first columns are words
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if i < left else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def table(title, rows):
    cells = [["workload", "policy", "through", "filters", "bits/", "kops/s", "times",
              "", "CPU s", "useful", "false +", "FPR %"],
             ["", "", "", "KiB", "key", "", "Bloom", "(range)", "", "", "", ""]]
    last = None
    for row in rows.all():
        times, spread = _times(rows, row)
        cells.append([
            row.workload if row.workload != last else "", row.policy, row.through,
            _number(row.filter_bytes / 1024 if row.filter_bytes else None, 0),
            _number(row.bits_per_key(), 2), f"{row.median() / 1000:.0f}", times, spread,
            _number(_cpu_seconds(row), 2), _number(row.useful, 0),
            _number(row.false_positives, 0), _percent(row.false_positive_rate())])
        last = row.workload
    return title + "\n" + _align(cells)


COLUMNS = ("engine,workload,policy,through,num_keys,filter_bytes,bits_per_key,"
           "ops_per_second_median,ops_per_second_min,ops_per_second_max,times_bloom_median,"
           "times_bloom_min,times_bloom_max,useful,false_positives,fpr,cpu_seconds").split(",")


def csv_text(all_rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)

    def cell(value, decimals):
        return _number(value, decimals, none="")

    for rows in all_rows:
        for row in rows.all():
            ratios = rows.ratios(row)
            writer.writerow([
                row.engine, row.workload, row.policy, row.through, row.num_keys,
                row.filter_bytes, cell(row.bits_per_key(), 4), f"{row.median():.0f}",
                f"{min(row.rates):.0f}", f"{max(row.rates):.0f}",
                cell(statistics.median(ratios), 4), cell(min(ratios), 4),
                cell(max(ratios), 4), cell(row.useful, 0), cell(row.false_positives, 0),
                cell(row.false_positive_rate(), 8), cell(_cpu_seconds(row), 3)])
    return out.getvalue()
