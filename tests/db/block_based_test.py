"""`bloomline db` on RocksDB's block-based filters. What is right comes from tables of RocksDB 6.29,
and from block_based.py."""
import json
import random
import struct
import subprocess

import pytest
from block_based import (GOLDEN, OWN, PREFIXES, WHOLE_KEYS, Table, filter_block, filters_for,
                         keys_lost_by, new_table, random_keys, random_table, with_bits)

each_golden = pytest.mark.parametrize("golden, prefix_bytes", [(GOLDEN[0], None), (GOLDEN[1], 10)],
                                      ids=["keys", "prefixes"])


def not_checked(document):
    return [(one["count"], one["may_be_lost"]) for one in document["not_checked"]]


class Tool:
    def __init__(self, program, folder):
        self.program, self.table = program, folder / "000004.sst"

    def document(self, exit_code, contents, *command):
        self.table.write_bytes(contents)
        done = subprocess.run([self.program, "db", *command, "--json", self.table], text=True,
                              capture_output=True, check=False)
        assert done.returncode == exit_code, done.stdout + done.stderr
        return json.loads(done.stdout)

    def inspected(self, contents):
        return self.document(0, contents, "inspect")["databases"][0]["files"][0]

    def check_verified(self, table, filters, num_keys, base_lg=11, num_prefixes=0, block=None):
        """That it finds the keys that the filters lose, and the engine queries no filter for those
        that it does not check."""
        lost = keys_lost_by(table, filters, base_lg)
        document = self.document(4 if lost else 0, table.with_filters(
            block or filter_block(filters, base_lg)), "verify", "--max-errors", "100000")
        found = [one for one in document["files"][0]["lost_keys"] if one["by"] == "key"]
        assert sorted(bytes.fromhex(one["key_hex"]) for one in found) == lost
        num_all = sum(len(keys) for _, keys in table.data)
        assert document["keys_checked"] == num_keys
        others = [(num_all - num_keys, False)] if num_keys < num_all else []
        assert not_checked(document) == others
        if not num_prefixes:
            assert (document["prefixes_checked"], document["lost"]) == (0, len(lost))
        return found


@pytest.fixture
def tool(build, tmp_path):
    return Tool(build / "bloomline", tmp_path)


@each_golden
def test_block_based_py_writes_filters_as_rocksdb_does(golden, prefix_bytes):
    table = Table(golden)
    assert len(table.data) > 5
    filters = filters_for(table, prefix_bytes=prefix_bytes)
    assert len(filters) > 2
    assert table.block(table.meta[OWN]) == filter_block(filters)


@each_golden
def test_tables_of_rocksdb(tool, golden, prefix_bytes):
    table, facts = Table(golden), tool.inspected(golden)
    keys = [key for _, keys in table.data for key in keys]
    prefixes = {key[:prefix_bytes] for key in keys if prefix_bytes}
    size = table.number("rocksdb.filter.size")
    assert facts["filter_kind"] == "block_based"
    assert facts["filter_name"] == "rocksdb.BuiltinBloomFilter"
    assert (facts["filter_bytes"], facts["num_keys_estimated"]) == (size, False)
    assert facts["layouts"] == [{"layout": "block-based", "filters": 1, "bytes": size}]
    assert facts["num_keys"] == len(keys) + len(prefixes)
    assert 0.004 < facts["expected_false_positive_rate"] < 0.02
    document = tool.document(0, golden, "verify")
    assert (document["keys_checked"], document["lost"], document["not_checked"]) == (120, 0, [])
    assert (document["prefixes_checked"] > 0) == bool(prefixes)


@each_golden
def test_lost_keys(tool, golden, prefix_bytes):
    """Each bit of a key that is missing is noticed."""
    table = Table(golden)
    offset, keys = table.data[-2]
    for damaged in with_bits(filters_for(table, prefix_bytes=prefix_bytes), offset, keys[1]):
        assert keys[1] in keys_lost_by(table, damaged)
        found = tool.check_verified(table, damaged, 120, num_prefixes=prefix_bytes)
        assert [(one["block_offset"], one["filter"]) for one in found
                if one["key"] == keys[1].decode()] == [(offset, offset >> 11)]


@pytest.mark.parametrize("bits_per_key", [1, 3, 10, 50])
def test_any_filter_answers_as_in_rocksdb(tool, bits_per_key):
    """Of other bits per key, with bits that are missing, for other keys, with other ranges."""
    numbers = random.Random(bits_per_key)
    table = random_table()
    whole = filters_for(table, bits_per_key)
    tool.check_verified(table, whole, 1500)
    damaged = [bytes(byte & numbers.getrandbits(8) if numbers.random() < 0.02 else byte
                     for byte in one[:-1]) + one[-1:] for one in whole]
    damaged[5], damaged[7] = b"", whole[7][-1:]
    for base_lg in (11, 10, 13, 63):
        num_keys = sum(len(keys) for offset, keys in table.data if offset >> base_lg < len(damaged))
        assert keys_lost_by(table, damaged, base_lg)
        tool.check_verified(table, damaged, num_keys, base_lg)


def test_one_key_in_each_of_several_data_blocks(tool):
    """Most ranges of 2 KiB have no data block, and some filters have one key."""
    table = new_table([[key] + [key + b"x%d" % i for i in range(99)] for key in random_keys(9, 5)])
    assert b"" in filters_for(table)
    tool.check_verified(table, filters_for(table), 900)


@pytest.mark.parametrize("whole", [True, False])
def test_prefixes(tool, whole):
    table = random_table(properties={**PREFIXES, WHOLE_KEYS: b"%d" % whole})
    filters = filters_for(table, prefix_bytes=3, whole_keys=whole)
    contents = table.with_filters(filter_block(filters))
    num_prefixes = len({key[:3] for _, keys in table.data for key in keys if len(key) >= 3})
    document = tool.document(0, contents, "verify")
    assert document["keys_checked"] == (1500 if whole else 0)
    assert document["prefixes_checked"] >= num_prefixes  # one counts again in the next filter
    assert tool.inspected(contents)["num_keys"] == pytest.approx(
        (1500 if whole else 0) + num_prefixes, rel=0.02)
    without = filters_for(table, prefix_bytes=None if whole else 4, whole_keys=whole)
    document = tool.document(4, table.with_filters(filter_block(without)), "verify")
    assert {one["by"] for one in document["files"][0]["lost_keys"]} == {"prefix"}


def test_an_extractor_that_is_not_known(tool):
    table = random_table(properties={**PREFIXES, "rocksdb.prefix.extractor.name": b"another"})
    contents = table.with_filters(filter_block(filters_for(table)))
    assert not_checked(tool.document(1, contents, "verify")) == [(1500, True)]
    assert tool.inspected(contents)["expected_false_positive_rate"] is None


@pytest.mark.parametrize("versions", [1, 2])
def test_rate_and_number_of_keys(tool, versions):
    """Of tables with more filters than are counted one by one."""
    keys = random_keys(3000, 7)
    table = new_table([[key for key in keys[i:i + 20] for _ in range(versions)]
                       for i in range(0, 3000, 20)])
    filters = filters_for(table)
    assert len(filters) > 32
    # That of random bits; those of a hash are less random (engine_filter.h).
    parts = [(len(one), sum(byte.bit_count() for byte in one[:-1]) / (8 * len(one) - 8))
             for one in filters if one]  # the number of keys is in proportion
    rate = sum(size * part ** 6 for size, part in parts) / sum(size for size, _ in parts)
    facts = tool.inspected(table.with_filters(filter_block(filters)))
    assert (facts["num_keys"], facts["num_keys_estimated"]) == (3000, False)
    assert facts["expected_false_positive_rate"] == pytest.approx(rate, rel=0.05)


def test_a_list_of_filters_that_is_cut_off(tool):
    """The last filter is longer, and the engine queries no other."""
    table = Table(GOLDEN[0])
    filters = filters_for(table)
    for cut, block in (([filters[0], filters[1] + filters[2]], None),
                       ([], b"".join(filters) + struct.pack("<IB", len(b"".join(filters)), 11))):
        num_keys = sum(len(keys) for offset, keys in table.data if offset >> 11 < len(cut))
        assert num_keys < 120
        tool.check_verified(table, cut, num_keys, block=block)


@pytest.mark.parametrize("probes", [31, 128, 255])  # those of bloomline's filters in LevelDB
def test_reserved_numbers_of_probes_match_every_key(tool, probes):
    table = Table(GOLDEN[0])
    first, *others = filters_for(table)
    num_keys = sum(len(keys) for offset, keys in table.data if offset < 2048)
    contents = table.with_filters(filter_block([bytes(len(first) - 1) + bytes([probes]), *others]))
    document = tool.document(1, contents, "verify")
    assert (document["lost"], document["keys_checked"]) == (0, 120 - num_keys)
    assert not_checked(document) == [(num_keys, True)]


def test_no_probes_match_every_key(tool):
    table = Table(GOLDEN[0])
    tool.check_verified(table, [bytes(9) + b"\0", *filters_for(table)[1:]], 120)
