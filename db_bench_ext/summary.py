"""What the results of db_bench_ext/run say, in about 25 lines. Reads gets.csv, gets.txt, filters.csv
and ranges.csv from the folder of the results.

Usage: /usr/bin/python3 db_bench_ext/summary.py FOLDER
"""
import csv
import pathlib
import re
import sys

KEYS = {"paths": "file paths", "be64": "8-byte counters", "dec16": "decimal counters"}
WIDTH = 18
# Times are uncertain if half of a case's rounds took this much longer than its fastest one.
UNSTEADY = 1.5


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
    text = (folder / "gets.txt").read_text(encoding="utf-8")
    facts = dict(re.findall(r"^(CPU|LevelDB|RocksDB|bloomline|paths) +(.*)$", text, re.MULTILINE))
    kernel = facts["bloomline"].rsplit(" ", 1)[-1]
    versions = [f"{name} {facts[name].split(',')[0]}" for name in ("LevelDB", "RocksDB")]
    print(f"bloomline and the filters of {' and '.join(versions)}")
    print(f"on this machine: {facts['CPU']}, bloomline with {kernel}.")
    limits = [limit for limit, mark in (("without SIMD", "without AVX2"),
                                        ("with assertions", "assertions are on")) if mark in text]
    if limits:
        print(f"RocksDB's package runs {' and '.join(limits)}; "
              "--part filters --native compiles it.")
    print()


class Databases:
    """gets.csv: the least bits per key that were measured."""

    def __init__(self, folder):
        rows = read_csv(folder / "gets.csv")
        self.bits = min(int(row["requested_bits_per_key"]) for row in rows)
        self.rows = {(row["engine"], row["keys"], row["policy"]): row for row in rows
                     if int(row["requested_bits_per_key"]) == self.bits}
        self.wrong = sum(int(row["wrong_answers"]) for row in rows)
        self.answers = sum(int(row["near_missing_keys"]) + int(row["far_missing_keys"]) +
                           int(row["rows"]) for row in rows)

    def rates(self, engine, policies):
        for keys, name in KEYS.items():
            line(name, [percent(self.rows[engine, keys, policy]["near_fpr"])
                        for policy in policies])

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
    """filters.csv: medians of the rounds, nanoseconds per key."""
    times = {}
    unsteady = 0
    for row in read_csv(folder / "filters.csv"):
        name = row["subject"].rsplit(" ", 1)[0]
        times[row["kind"], name] = float(row["ns_per_key_median"])
        unsteady = max(unsteady, times[row["kind"], name] / float(row["ns_per_key_min"]))
    columns = ("Bloom", "Ribbon", "blocked", "compact", "compact=mem")
    for kind, name in (("query", "reject a key, ns"), ("build", "add a key, ns")):
        line(name, [f"{times[kind, column]:.1f}" for column in columns])
    if unsteady > UNSTEADY:
        print(f"  These times are uncertain: half of the rounds of one took {unsteady:.1f} times as "
              "long as its fastest. Is the machine busy?")


def ranges(folder):
    """ranges.csv: blocks that a scan of an empty range touches, over all shapes of keys."""
    columns = ("empty_blocks", "backward_empty_blocks")
    rows = read_csv(folder / "ranges.csv")
    names = {"bloom": "Bloom", "bloom-prefix": "Bloom of prefixes",
             "compact-ranges": "bloomline's RangeFilter"}
    print("RocksDB: blocks that a scan of an empty range touches, by kind of keys, and backward")
    for subject, name in names.items():
        text = f"  {name:<{WIDTH + 6}}"
        for column in columns:
            blocks = [float(row[column]) for row in rows if row["subject"] == subject]
            text += f"{min(blocks):10.2f}  to {max(blocks):6.2f}"
        print(text)
    print()


NEXT = """\
Next
  RocksDB, in an OPTIONS file   filter_policy=bloomline:10:format=compact    docs/rocksdb.md
  programs you cannot compile   preload library, BLOOMLINE_FORMAT=compact    docs/rocksdb.md
  your own database             bloomline db measure DIR                     docs/operating.md
  more figures                  --tables (of this run), --part PART          docs/benchmarking.md"""


def main():
    folder = pathlib.Path(sys.argv[1])
    machine(folder)
    databases = Databases(folder)
    databases.leveldb()
    print()
    databases.rocksdb()
    filters(folder)
    print()
    ranges(folder)
    print(f"{databases.answers:,} answers checked, {databases.wrong} wrong.\n")
    print(NEXT)


if __name__ == "__main__":
    main()
