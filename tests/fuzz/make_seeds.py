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


golden, out_dir = map(pathlib.Path, sys.argv[1:])
SEEDS = {
    "compact": list(random_seeds(30, 5)),
    "decode": [*decode_seeds(golden / "vectors.txt"), *random_seeds(20, 3)],
    "build": list(random_seeds(60, 1)),
    "ranges": list(random_seeds(60, 1)),
    "engine_filters": list(random_seeds(40, 8)),
    "redis": list(random_seeds(20, 5)),
    "options": list(random_seeds(20, 5)),
    "saved": [*saved_seeds(golden / "saved_filters.txt"), *random_seeds(20, 4)],
}
for target, seeds in SEEDS.items():
    folder = out_dir / target
    folder.mkdir(parents=True, exist_ok=True)
    for i, seed in enumerate(seeds):
        (folder / f"{i:03}").write_bytes(seed)
