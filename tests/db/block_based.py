#!/usr/bin/python3
"""Reads, queries and writes block-based filters of RocksDB, in tables with filters that are right,
wrong or unknown. Shares nothing with src.
Usage: block_based.py TABLES..., which writes tables of these kinds: see block_based.cases"""
import pathlib
import random
import struct
import sys

from table_writer import (CRC32C, ROCKSDB_MAGIC, TRAILER_BYTES, TableWriter, block_of,
                          handle_of, masked_crc32c, varint)

# Tables of RocksDB 6.29.5 with bloomfilter:10:true, the second with prefixes of 10 bytes in filters
# beside whole keys. Blocks have 256 bytes; the first has format_version 5, the second 2.
GOLDEN = [(pathlib.Path(__file__).parents[1] / "golden/tables" / name).read_bytes() for name in (
    "rocksdb-6.29-block-based.sst", "rocksdb-6.29-block-based-prefixes.sst")]
OWN = "filter.rocksdb.BuiltinBloomFilter"


# ---- The bytes of tables: RocksDB table/format.h, table/block_based/block_builder.cc.


class Input:
    def __init__(self, contents):
        self.contents = contents
        self.at = 0

    def take(self, size):
        self.at += size
        assert self.at <= len(self.contents)
        return self.contents[self.at - size:self.at]

    def varint(self):
        number = shift = 0
        while True:
            byte = self.take(1)[0]
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    def handle(self):
        return self.varint(), self.varint()


def entries_of(contents, has_lengths=True):
    """Keys with values, or with handles where an index has no lengths."""
    restarts, = struct.unpack("<I", contents[-4:])
    restarts &= 0x7fffffff  # a flag says that there is a hash index
    entries = Input(contents[:len(contents) - 4 - 4 * restarts])
    key = b""
    while entries.at < len(entries.contents):
        shared, rest = entries.varint(), entries.varint()
        size = entries.varint() if has_lengths else None
        key = key[:shared] + entries.take(rest)
        yield key, entries.take(size) if has_lengths else entries.handle()


class Table:
    """A table that is read, and written again with other filters."""
    def __init__(self, contents):
        footer = Input(contents[-53:])
        assert footer.contents[0] == CRC32C
        self.footer_end = contents[-12:]
        self.version, magic = struct.unpack("<IQ", self.footer_end)
        assert magic == ROCKSDB_MAGIC and 2 <= self.version <= 5
        footer.at = 1
        self.metaindex, self.index = footer.handle(), footer.handle()
        self.contents = contents
        self.meta = {name.decode(): Input(value).handle()
                     for name, value in entries_of(self.block(self.metaindex))}
        self.properties = {name.decode(): value for name, value in
                           entries_of(self.block(self.meta["rocksdb.properties"]))}
        self.data = list(self.read_data())

    def block(self, handle):
        offset, size = handle
        assert self.contents[offset + size] == 0, "it is compressed"
        return self.contents[offset:offset + size]

    def number(self, name):
        return Input(self.properties[name]).varint()

    def read_data(self):
        """The offset of each data block, with its user keys."""
        is_delta = self.properties.get("rocksdb.index.value.is.delta.encoded", b"\0") != b"\0"
        for _, value in entries_of(self.block(self.index), not is_delta):
            handle = value if is_delta else Input(value).handle()
            self.data_end = sum(handle) + TRAILER_BYTES
            yield handle[0], [key[:-8] for key, _ in entries_of(self.block(handle))]

    def with_meta(self, **changed):
        """The table with these blocks in place of others of these names, or without them."""
        table = TableWriter(self.contents[:self.metaindex[0]])
        table.metaindex = [(0, as_bytes(name), handle_of(place))
                           for name, place in self.meta.items() if name not in changed]
        for name, contents in changed.items():
            if contents is not None:
                table.add(contents, as_bytes(name))
        return table.end(self.index, version=self.version)

    def with_filters(self, block):
        return self.with_meta(**{OWN: block})


def as_bytes(name):
    return name.encode(errors="surrogateescape")


def new_table(blocks, properties=()):
    """Without filters. `blocks`: the user keys of each data block."""
    table = TableWriter()
    index = []
    for keys in blocks:
        entries = [(key + struct.pack("<Q", 1), b"v" * 30) for key in keys]
        index.append((entries[-1][0], handle_of(table.add(block_of(entries)))))
    index = table.add(block_of(index))
    values = {"rocksdb.comparator": b"leveldb.BytewiseComparator",
              "rocksdb.num.entries": varint(sum(map(len, blocks)))}
    values.update(properties)
    table.add(block_of((name.encode(), value) for name, value in sorted(values.items())),
              b"rocksdb.properties")
    return Table(table.end(index, version=2))


# ---- Block-based filters: RocksDB 6.29 table/block_based/block_based_filter_block.cc and
# filter_policy.cc, util/bloom_impl.h (LegacyNoLocalityBloomImpl), util/hash.cc.


def hash_of(key):
    multiplier = 0xc6a4a793
    value = 0xbc9f1d34 ^ len(key) * multiplier & 0xffffffff
    whole = len(key) // 4 * 4
    for word, in struct.iter_unpack("<I", key[:whole]):
        value = (value + word) * multiplier & 0xffffffff
        value ^= value >> 16
    if whole < len(key):
        for i, byte in enumerate(struct.unpack(f"{len(key) - whole}b", key[whole:])):
            value += byte << 8 * i  # bytes are signed
        value = value * multiplier & 0xffffffff
        value ^= value >> 24
    return value


def bits_of(key, num_bits, num_probes):
    value = hash_of(key)
    step = (value >> 17 | value << 15) & 0xffffffff
    for i in range(num_probes):
        yield (value + i * step & 0xffffffff) % num_bits


def filter_of(keys, bits_per_key):
    """A filter and the number of its probes."""
    filter_bytes = bytearray((max(64, len(keys) * bits_per_key) + 7) // 8)
    num_probes = min(30, max(1, bits_per_key * 69 // 100))
    for key in keys:
        for bit in bits_of(key, 8 * len(filter_bytes), num_probes):
            filter_bytes[bit // 8] |= 1 << bit % 8
    return bytes(filter_bytes) + bytes([num_probes])


def may_match(filter_bytes, key):
    if len(filter_bytes) < 2:
        return False
    if filter_bytes[-1] > 30:
        return True
    return all(filter_bytes[bit // 8] >> bit % 8 & 1
               for bit in bits_of(key, 8 * (len(filter_bytes) - 1), filter_bytes[-1]))


def filters_for(table, bits_per_key=10, prefix_bytes=None, whole_keys=True):
    """The filters of a table: one for the data blocks that begin in each 2 KiB."""
    keys_of = {}
    for offset, keys in table.data:
        keys_of.setdefault(offset >> 11, []).extend(keys)
    filters = []
    for i in range(max(table.data_end >> 11, max(keys_of) + 1)):
        added = []
        last_prefix = None
        for key in keys_of.get(i, []):
            prefix = key[:prefix_bytes] if prefix_bytes and len(key) >= prefix_bytes else None
            if prefix not in (None, last_prefix):
                added.append(prefix)
                last_prefix = prefix
            if whole_keys:
                added.append(key)
        filters.append(filter_of(added, bits_per_key) if added else b"")
    return filters


def filter_block(filters, base_lg=11):
    offsets = [0]
    for filter_bytes in filters:
        offsets.append(offsets[-1] + len(filter_bytes))
    return b"".join(filters) + struct.pack(f"<{len(offsets)}I", *offsets) + bytes([base_lg])


def keys_lost_by(table, filters, base_lg=11):
    return sorted(key for offset, keys in table.data for key in keys
                  if offset >> base_lg < len(filters) and
                  not may_match(filters[offset >> base_lg], key))


# ---- Keys and databases.


def random_keys(count, seed):
    numbers = random.Random(seed)
    keys = set()
    while len(keys) < count:
        keys.add(numbers.randbytes(numbers.randint(1, 20)))
    return sorted(keys)


def random_table(count=1500, properties=()):
    keys = random_keys(count, 1)
    return new_table([keys[i:i + 20] for i in range(0, count, 20)], properties)


PREFIXES = {"rocksdb.block.based.table.prefix.filtering": b"1",
            "rocksdb.prefix.extractor.name": b"rocksdb.FixedPrefix.3"}
WHOLE_KEYS = "rocksdb.block.based.table.whole.key.filtering"


def length_prefixed(text):
    return varint(len(text)) + text


def make_database(folder, table, version):
    """A database of one table, as RocksDB `version` leaves it."""
    folder.mkdir()
    (folder / "000004.sst").write_bytes(table)
    keys = [key + struct.pack("<Q", 1) for _, keys in Table(table).data for key in keys]
    edit = b"\1" + length_prefixed(b"leveldb.BytewiseComparator")
    edit += b"\2\6" + b"\3\x08" + b"\4\x64"  # the log's number, the next one, the last sequence
    edit += b"\x67\1\4" + varint(len(table)) + length_prefixed(min(keys)) + \
        length_prefixed(max(keys)) + b"\0\1" + b"\1"  # a file of level 1
    record = b"\1" + edit
    (folder / "MANIFEST-000005").write_bytes(
        struct.pack("<IH", masked_crc32c(record), len(edit)) + record)
    (folder / "CURRENT").write_text("MANIFEST-000005\n")
    (folder / "OPTIONS-000007").write_text(f"""[Version]
  rocksdb_version={version}
  options_file_version=1.1
[DBOptions]
[CFOptions "default"]
[TableOptions/BlockBasedTable "default"]
  filter_policy=rocksdb.BuiltinBloomFilter
""")


def with_bits(filters, offset, key):
    """For each bit of the key, the filters without it."""
    at = offset >> 11
    for bit in sorted(set(bits_of(key, 8 * (len(filters[at]) - 1), filters[at][-1]))):
        changed = bytearray(filters[at])
        changed[bit // 8] &= ~(1 << bit % 8)
        yield [*filters[:at], bytes(changed), *filters[at + 1:]]


# ---- The tables of block_based.cases.


def damaged_tables():
    table = Table(GOLDEN[0])
    filters = filters_for(table)
    whole, end = filter_block(filters), len(b"".join(filters))

    def with_offset(i, offset):
        at = end + 4 * i
        return whole[:at] + struct.pack("<I", offset) + whole[at + 4:]

    blocks = {"empty": b"", "short": b"\0" * 4,
              "behind": whole[:-5] + struct.pack("<IB", len(whole), 11),
              "far_behind": whole[:-5] + b"\xff" * 4 + b"\13", "2_64": whole[:-1] + b"\x40",
              "2_255": whole[:-1] + b"\xff", "first": with_offset(1, end + 1),
              "order": with_offset(0, struct.unpack("<3I", whole[-13:-1])[-1]),
              "far": with_offset(1, 0xffffffff)}
    checksum = bytearray(table.contents)
    checksum[table.meta[OWN][0] + 3] ^= 1
    return {**{name: table.with_filters(block) for name, block in blocks.items()},
            "checksum": bytes(checksum)}


def unknown_tables():
    """Without RocksDB's filters; _beside: with them."""
    table = Table(GOLDEN[0])
    zeros = filter_block([bytes(5) + b"\6"] * 4)
    full = bytes(64) + b"\xff\0\6\0\0"
    tables = {"none": table.with_meta(**{OWN: None, "filter.foo": filter_block([])}),
              "policys": table.with_meta(**{"fullfilter.rocksdb.BuiltinBloomFilter": full}),
              "controls": table.with_meta(**{OWN: None, "filter.\n\x1b[2K\udcff": zeros})}
    for name in ("filter.foo", "filter.foo.bloomline", "filter.leveldb.BuiltinBloomFilter2",
                 "fullfilter.foo", "xfilter.foo", "foo.RangeFilter",
                 "xfilter.rocksdb.BuiltinBloomFilter"):
        tables[name + "_beside"] = table.with_meta(**{name: zeros})
        kinds = {"zeros": zeros, "full": full, "x": b"x"}
        for kind, block in kinds.items() if name[:7] != "filter." else [("zeros", zeros)]:
            tables[f"{name}_{kind}"] = table.with_meta(**{OWN: None, name: block})
    return tables


def databases():
    table = Table(GOLDEN[0])
    empty = filter_block([bytes(9) + b"\6"] * len(filters_for(table)))
    large = random_table(3000)
    for version in "5.18.4", "6.29.5", "7.3.1", "7.4.0", "10.10.1":
        make_database(pathlib.Path(version), GOLDEN[0], version)
    for name, contents in (
            ("whole_keys", GOLDEN[0]), ("prefixes", GOLDEN[1]), ("lost", table.with_filters(empty)),
            ("2_255", table.with_filters(empty[:-1] + b"\xff")),
            ("beside", table.with_meta(**{"filter.foo": empty})),
            ("policy", table.with_meta(**{OWN: None, "filter.foo": empty})),
            ("unknown", table.with_meta(**{OWN: None, "xfilter.foo": empty})),
            ("large", large.with_filters(filter_block(filters_for(large))))):
        make_database(pathlib.Path(name), contents, "6.29.5")


if __name__ == "__main__":
    for group in sys.argv[1:]:
        tables = {"golden": lambda: {"keys": GOLDEN[0], "prefixes": GOLDEN[1]},
                  "databases": databases, "damaged": damaged_tables,
                  "unknown": unknown_tables}[group]()
        for name, contents in (tables or {}).items():
            pathlib.Path(f"{name}.sst").write_bytes(contents)
