"""What the results of db_bench_ext/run say, in at most 48 lines. Reads natural.csv, gets.csv,
gets.txt, ranges.csv and filters.csv from the folder of the results.

Usage: /usr/bin/python3 db_bench_ext/summary.py FOLDER
"""
import csv
import pathlib
import re
import sys

KEYS = {"paths": "file paths", "be64": "8-byte counters", "dec16": "decimal counters"}
RANGE_KEYS = {"items": "account:4 user:4 item:8", "posts": "user:17:post:4",
              "minutes": "device:8 microseconds:8", "files": "/srv/3/17/album4/photo.jpg",
              "numbers": "numbers of 8 bytes"}
# Times are uncertain if half of a case's rounds took this much longer than its fastest one.
UNSTEADY = 1.5
LEVELS = {"dynamic": "Dynamic levels, RocksDB's default since 8.4",
          "static": "Static levels, the default before"}
FILTERS = ("Bloom", "Ribbon", "two numbers", "by level")


def read_csv(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def percent(value):
    value = 100 * float(value)
    return f"{value:.{1 if value >= 10 else 2}f} %"


def line(name, cells):
    print(f"{name:<32}" + "".join(f"{cell:>11}" for cell in cells))


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


def spread(rows, column, digits, scale=1):
    """Mean and range."""
    values = [scale * float(row[column]) for row in rows]
    mean, least, most = (f"{value:.{1 if value >= 10 else digits}f}" for value in
                         (sum(values) / len(values), min(values), max(values)))
    return f"{mean} ({least}-{most})"


def shape(rows, levels):
    """As in "5: 9k, 6: 191k"."""
    text = next(row["shape"] for row in rows if row["levels"] == levels and
                row["filter"] == "by level" and row["state"] == "all" and row["is_at_rest"] == "1")
    return ", ".join(re.findall(r"\d+:\d+k", text)).replace(":", ": ")


def natural(folder):
    """natural.csv: what is wasted in the states of a database's life, and the memory of it."""
    rows = read_csv(folder / "natural.csv")
    print("RocksDB: wasted reads in 100 Gets of missing keys; mean (range) of a database's states")
    print(f"{'':<17}{'at rest':<19}{'while written':<19}bits per key")
    for levels, title in LEVELS.items():
        print(title)
        for name in FILTERS:
            states = [row for row in rows if (row["levels"], row["filter"]) == (levels, name)]
            wasted = [spread([row for row in states if row["is_at_rest"] == at_rest],
                             "wasted_reads_per_get", 2, 100) for at_rest in "10"]
            cells = [*wasted, spread(states, "bits_per_key", 1)]
            print(f"  {name:<15}" + "".join(f"{cell:<19}" for cell in cells).rstrip())
    print("States: loaded, restarted, overwritten, deleted. Keys in levels once all are loaded:")
    print(f"  {'; '.join(f'{levels} {shape(rows, levels)}' for levels in LEVELS)}")
    print("Ribbon is RocksDB's, in Bloom's memory; two numbers are a policy of 18 lines "
          "(docs/rocksdb.md);\nby level is RocksDB's Ribbon with bloomline's bits. RocksDB reads "
          "all of them alone.\n")
    return (sum(int(row["gets"]) + int(row["stored_keys"]) for row in rows),
            sum(int(row["wrong_answers"]) for row in rows))


class Databases:
    """gets.csv: the least bits per key that were measured."""

    def __init__(self, folder):
        rows = read_csv(folder / "gets.csv")
        bits = min(int(row["requested_bits_per_key"]) for row in rows)
        self.rows = {(row["engine"], row["keys"], row["policy"]): row for row in rows
                     if int(row["requested_bits_per_key"]) == bits}
        self.wrong = sum(int(row["wrong_answers"]) for row in rows)
        self.answers = sum(int(row["near_missing_keys"]) + int(row["far_missing_keys"]) +
                           int(row["rows"]) for row in rows)

    def leveldb(self):
        line("LevelDB: wasted reads, 10 bits/key", ["its own", "blocked", "compact"])
        for keys, name in KEYS.items():
            line("  " + name, [percent(self.rows["leveldb", keys, policy]["near_fpr"])
                               for policy in ("builtin-bloom", "blocked", "compact")])
        print()

    def rocksdb(self):
        """The worst rate of all keys, because they differ little."""
        policies = ("builtin-bloom", "builtin-ribbon", "blocked")
        line("RocksDB, one level", ["Bloom", "Ribbon", "blocked"])
        rows = [self.rows["rocksdb", "paths", policy] for policy in policies]
        line("  bits per key", [f"{float(row['filter_bits_per_key']):.1f}" for row in rows])
        line("  wasted reads, worst keys",
             [percent(max(float(self.rows["rocksdb", keys, policy]["near_fpr"]) for keys in KEYS))
              for policy in policies])


def filters(folder):
    """filters.csv: medians of the rounds, nanoseconds per key."""
    times = {}
    unsteady = 0
    for row in read_csv(folder / "filters.csv"):
        name, code = row["subject"].rsplit(" ", 1)
        by = "RocksDB" if code == "packaged" else "bloomline"
        times[row["kind"], name, by] = float(row["ns_per_key_median"])
        unsteady = max(unsteady, times[row["kind"], name, by] / float(row["ns_per_key_min"]))
    for kind, what in (("query", "reject a key"), ("build", "add a key")):
        for by, columns in (("RocksDB", ("Bloom", "Ribbon")),
                            ("bloomline", ("Bloom", "Ribbon", "blocked"))):
            line(f"  {what}, ns: {by}", [f"{times[kind, column, by]:.1f}" for column in columns])
    if unsteady > UNSTEADY:
        print(f"  uncertain: half of the rounds of one took {unsteady:.1f} times as long as its "
              "fastest. Is the machine busy?")
    print()


def ranges(folder):
    """ranges.csv: blocks that a scan of an empty range touches, for each kind of keys."""
    blocks = {(row["shape"], row["subject"]): row["empty_blocks"]
              for row in read_csv(folder / "ranges.csv")}
    line("RocksDB: blocks per empty scan", ["Bloom", "prefixes", "bloomline"])
    for shape, name in RANGE_KEYS.items():
        line("  " + name, [f"{float(blocks[shape, subject]):.2f}"
                           for subject in ("bloom", "bloom-prefix", "bloom-ranges")])
    print()


NEXT = """\
Next
  your own database             bloomline db advise DIR                        docs/db.md
  programs you cannot compile   preload, BLOOMLINE_FORMAT and _BITS_BY_LEVEL   docs/rocksdb.md
  more figures                  run --tables, run --part PART                  docs/benchmarking.md
"""


def main():
    folder = pathlib.Path(sys.argv[1])
    machine(folder)
    answers, wrong = natural(folder)
    databases = Databases(folder)
    databases.leveldb()
    databases.rocksdb()
    filters(folder)
    ranges(folder)
    print(NEXT)
    print(f"{answers + databases.answers:,} answers checked, {wrong + databases.wrong} wrong.")


if __name__ == "__main__":
    try:
        main()
    except FileNotFoundError as error:  # of a part that failed, which has said why
        sys.exit(f"No summary: there is no {error.filename}")
