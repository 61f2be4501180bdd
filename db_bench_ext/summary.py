"""What the results of db_bench_ext/run say, in about 25 lines. Reads compare.csv and compare.txt
from the folder of the results, short/filters.json and short/ranges.csv, and leaves out what is not
there.

Usage: python3 db_bench_ext/summary.py FOLDER
"""
import csv
import json
import pathlib
import re
import sys

KEYS = {"paths": "file paths", "be64": "8-byte counters", "dec16": "decimal counters"}
WIDTH = 18
# A time is unsteady if its standard deviation between rounds is more than this share of its mean.
# Measured: up to 0.15 on a quiet machine, 0.3 to 0.5 on a virtual machine whose neighbours work.
UNSTEADY = 0.3


def read_csv(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def percent(value):
    value = 100 * float(value)
    return f"{value:.{1 if value >= 10 else 2}f} %"


def line(name, cells):
    print(f"  {name:<{WIDTH + 4}}" + "".join(f"{cell:>12}" for cell in cells))


def machine(folder):
    """The processor and the engines, from the head of the report; the kernel in use."""
    text = (folder / "compare.txt").read_text(encoding="utf-8")
    facts = dict(re.findall(r"^(CPU|LevelDB|RocksDB|bloomline|paths) +(.*)$", text, re.MULTILINE))
    kernel = facts["bloomline"].rsplit(" ", 1)[-1]
    versions = [f"{name} {facts[name].split(',')[0]}" for name in ("LevelDB", "RocksDB")]
    print(f"bloomline and the filters of {' and '.join(versions)}")
    print(f"on this machine: {facts['CPU']}, bloomline with {kernel}.")
    limits = [limit for limit, mark in (("without SIMD", "without AVX2"),
                                        ("with assertions", "assertions are on")) if mark in text]
    if limits:
        print(f"RocksDB's package runs {' and '.join(limits)}; "
              "run_filters --native compiles it.")
    print()


class Databases:
    """compare.csv: the least bits per key that were measured."""

    def __init__(self, folder):
        rows = read_csv(folder / "compare.csv")
        self.bits = min(int(row["requested_bits_per_key"]) for row in rows)
        self.rows = {(row["engine"], row["keys"], row["policy"]): row for row in rows
                     if int(row["requested_bits_per_key"]) == self.bits}
        self.wrong = sum(int(row["wrong_answers"]) for row in rows)
        self.answers = sum(int(row["near_missing_keys"]) + int(row["far_missing_keys"]) +
                           int(row["rows"]) for row in rows)

    def rates(self, engine, policies):
        for keys, name in KEYS.items():
            rows = [self.rows.get((engine, keys, policy)) for policy in policies]
            if all(rows):
                line(name, [percent(row["near_fpr"]) for row in rows])

    def bits_per_key(self, engine, policies):
        rows = [self.rows[engine, "paths", policy] for policy in policies]
        line("bits per key", [f"{float(row['filter_bits_per_key']):.1f}" for row in rows])

    def leveldb(self):
        policies = ["builtin-bloom", "blocked", "compact"]
        print("LevelDB: lookups of missing keys that read a block for nothing")
        line("", ["its own", "blocked", "compact"])
        self.bits_per_key("leveldb", policies)
        self.rates("leveldb", policies)

    def rocksdb(self):
        policies = ["builtin-bloom", "builtin-ribbon", "blocked", "compact-same-fpr", "compact"]
        print("RocksDB: the same")
        line("", ["Bloom", "Ribbon", "blocked", "compact", "compact"])
        self.bits_per_key("rocksdb", policies)
        self.rates("rocksdb", policies)


def filters(folder):
    """filters.json of Google Benchmark: medians, nanoseconds per key."""
    times = {}
    spread = 0  # the largest standard deviation, as a share of the mean
    for run in json.loads((folder / "short/filters.json").read_text(encoding="utf-8"))["benchmarks"]:
        if run.get("aggregate_name") == "cv":
            spread = max(spread, float(run["real_time"]))
        if run.get("aggregate_name") != "median":
            continue
        what, subject, _, bits = run["name"].split("/")[:4]
        keys = float(run["keys_per_iteration"])
        times[what, subject.rsplit("_", 1)[0], bits] = float(run["real_time"]) / keys
    columns = [("Bloom", "bits:10"), ("Ribbon", "bits:10"), ("blocked", "bits:10"),
               ("compact", "bits:10"), ("compact=mem", "bits:10")]
    for what, name in (("query", "reject a key, ns"), ("build", "add a key, ns")):
        line(name, [f"{times[(what, *column)]:.1f}" if (what, *column) in times else "-"
                    for column in columns])
    if spread > UNSTEADY:
        print(f"  These times are uncertain: one varied by {100 * spread:.0f} % between rounds. "
              "Is the machine busy?")


def ranges(folder):
    """ranges.csv: blocks that a scan of an empty range touches, over all shapes of keys."""
    blocks = {}
    for row in read_csv(folder / "short/ranges.csv"):
        if row["range"] == "empty":
            blocks.setdefault(row["subject"], []).append(float(row["blocks_per_scan"]))
    names = {"bloom": "Bloom", "bloom-prefix": "Bloom of prefixes",
             "compact-ranges": "bloomline's for ranges"}
    if all(subject in blocks for subject in names):
        print("RocksDB: blocks that a scan of an empty range touches, by kind of keys")
        for subject, name in names.items():
            print(f"  {name:<{WIDTH + 4}}{min(blocks[subject]):12.2f}  to "
                  f"{max(blocks[subject]):6.2f}")
        print()


NEXT = """\
Next
  RocksDB, in an OPTIONS file   filter_policy=bloomline:10:format=compact    docs/rocksdb.md
  programs you cannot compile   preload library, BLOOMLINE_FORMAT=compact    docs/rocksdb.md
  your own database             bloomline db measure DIR                     docs/operating.md
  more figures                  --tables (of this run), --full (25 minutes)  docs/benchmarking.md"""


def main():
    folder = pathlib.Path(sys.argv[1])
    machine(folder)
    databases = Databases(folder)
    engines = {engine for engine, _, _ in databases.rows}
    if "leveldb" in engines:
        databases.leveldb()
        print()
    if "rocksdb" in engines:
        databases.rocksdb()
        if (folder / "short/filters.json").exists():
            filters(folder)
        print()
    if (folder / "short/ranges.csv").exists():
        ranges(folder)
    print(f"{databases.answers:,} answers checked, {databases.wrong} wrong.\n")
    print(NEXT)


if __name__ == "__main__":
    main()
