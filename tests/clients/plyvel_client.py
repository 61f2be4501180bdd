"""A program of plyvel, which knows nothing of bloomline.

Usage: plyvel_client.py write|check FOLDER NUM_KEYS

Writes even numbers as 8-byte big-endian keys. `check` prints the number of wrong answers about them
and about the odd numbers between, and how many of 1000 missing keys made LevelDB read a data block:
each block that it reads and decompresses grows its cache.
"""
import struct
import sys

import plyvel

BLOCK = 4096


def key(number):
    return struct.pack(">Q", number)


def value(number):
    return b"%0100d" % number


def memory(db):
    return int(db.get_property(b"leveldb.approximate-memory-usage"))


def main():
    mode, folder, num_keys = sys.argv[1], sys.argv[2], int(sys.argv[3])
    db = plyvel.DB(folder, create_if_missing=mode == "write", bloom_filter_bits=10,
                   lru_cache_size=1 << 30)
    if mode == "write":
        for i in range(num_keys):
            db.put(key(2 * i), value(i))
        db.compact_range()
        return
    # Keys far apart, so that no two of them are in one block.
    probes = range(0, num_keys - 1, 100)
    before = memory(db)
    wrong = sum(db.get(key(2 * i + 1)) is not None for i in probes)
    reads = (memory(db) - before) / BLOCK
    wrong += sum(db.get(key(2 * i)) != value(i) for i in range(num_keys))
    wrong += sum(db.get(key(2 * i + 1)) is not None for i in range(num_keys))
    print(f"{wrong} {1000 * reads / len(probes):.0f}")


main()
