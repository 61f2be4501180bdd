#!/usr/bin/python3
"""Writes the first inputs of the fuzzers: the filters in tests/golden, and random bytes.

Usage: make_seeds.py GOLDEN_DIR OUT_DIR   The inputs of each target go to OUT_DIR/TARGET.

A target takes numbers from the end of its input and strings from the start (fuzz_input.h).
"""
import pathlib
import random
import sys


def decode_seeds(vectors):
    for line in vectors.read_text().splitlines():
        filter_bytes = bytes.fromhex(line.split()[5])
        # From the end: any bytes, two for the alignment, the kernel, the first key, two for the
        # number of keys.
        yield filter_bytes + bytes(2) + bytes(8) + bytes([0, 0, 0, 0])


def random_seeds(count, num_choices):
    """`count` inputs for each value that the last byte can choose."""
    numbers = random.Random(1)
    for i in range(count * num_choices):
        yield numbers.randbytes(numbers.choice([30, 100, 1000])) + bytes([i % num_choices])


def saved_seeds(saved):
    for line in saved.read_text().splitlines():
        # From the end: any bytes, the first key, two for the number of keys, no seed.
        yield bytes.fromhex(line.split()[-1]) + bytes(1) + bytes(2) + bytes(8) + bytes(1)


def table_seeds(folder):
    manifest = bytes([1, 26]) + b"leveldb.BytewiseComparator"
    manifest += bytes([7, 0, 5, 99, 8]) + bytes(8) + bytes([8]) + bytes(8)  # a new file
    yield manifest + bytes([1])
    yield bytes([200, 1, 1, 201, 1, 1]) + b"f" + bytes([103, 2, 7, 99, 9]) + b"k" + bytes(8) + \
        bytes([9]) + b"l" + bytes(8) + bytes([5, 6, 65, 1, 0, 1]) + bytes([1])
    yield b"""[DBOptions]
  db_log_dir=/tmp\\#x  # comment
[CFOptions "default"]
  compaction_style=kCompactionStyleLevel
[TableOptions/BlockBasedTable "default"]
  filter_policy={id=bloomline;format=compact;nested={id=a;b=c;};}
""" + bytes([3])
    for table in sorted(folder.glob("*.sst")) + sorted(folder.glob("*.ldb")):
        for verified in 0, 1:
            yield table.read_bytes() + bytes([0, verified, 0])  # nothing is skipped


golden, out_dir = map(pathlib.Path, sys.argv[1:])
SEEDS = {
    "decode": [*decode_seeds(golden / "vectors.txt"), *decode_seeds(golden / "former_compact.txt"),
               *random_seeds(20, 3)],
    "ranges": list(random_seeds(60, 1)),
    "ribbon": list(random_seeds(30, 6)),
    "small_set": list(random_seeds(30, 2)),
    "engine_filters": list(random_seeds(40, 8)),
    "tables": list(table_seeds(golden / "tables")),
    "saved": [*saved_seeds(golden / "saved_filters.txt"), *random_seeds(20, 4)],
}
for target, seeds in SEEDS.items():
    folder = out_dir / target
    folder.mkdir(parents=True, exist_ok=True)
    for i, seed in enumerate(seeds):
        (folder / f"{i:03}").write_bytes(seed)
