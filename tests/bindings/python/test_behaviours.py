"""Makes the steps of tests/bindings/behaviours.json: the name of a C function, objects by letters,
keys by numbers, and what it returns or with which error it fails. test_redis.py makes those of
servers; C and Java make those of RocksDB's policies."""

import json
import os
import pathlib
import tempfile
import unittest

import bloomline
from bloomline import sizing
from bloomline._library import checked, lib

STEPS = json.loads((pathlib.Path(__file__).parents[1] / "behaviours.json").read_text("utf-8"))
KEYS = [b"key %d" % i for i in range(2000)]
KINDS = {"bloom": bloomline.BloomFilter, "atomic": bloomline.AtomicBloomFilter,
         "scalable": bloomline.ScalableBloomFilter, "counting": bloomline.CountingBloomFilter,
         "builder": bloomline.FilterBuilder}


def digest(data):
    """FNV-1a of 64 bits."""
    hash = 0xcbf29ce484222325
    for byte in data:
        hash = (hash ^ byte) * 0x100000001b3 % 2**64
    return f"{hash:016x}"


class BehavioursTest(unittest.TestCase):
    """A method for each function that is not simply the object's of the same name."""

    def create(self, letter, kind, options):
        self.objects[letter] = KINDS[kind](**options)

    def made(self, name, letter, other):
        self.objects[letter] = getattr(self.objects[other], name)()

    def copy(self, letter, other):
        self.made("copy", letter, other)

    def snapshot(self, letter, other):
        self.made("snapshot", letter, other)

    def to_bloom(self, letter, other):
        self.made("to_bloom_filter", letter, other)

    create_bloom = to_bloom

    def from_bloom(self, letter, other):
        self.objects[letter] = bloomline.AtomicBloomFilter.from_bloom_filter(self.objects[other])

    def from_bytes(self, letter, other, change=lambda data: data):
        filter = self.objects[other]
        self.objects[letter] = type(filter).from_bytes(change(filter.to_bytes()))

    def cut_bytes(self, letter):
        self.from_bytes(letter, letter, lambda data: data[:-1])

    def changed_bytes(self, letter):
        self.from_bytes(letter, letter, lambda data: data[:-1] + bytes([data[-1] ^ 1]))

    def load(self, letter, other, kind=None):
        filter = self.objects[other]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "filter")
            filter.save(path)
            self.assertEqual(pathlib.Path(path).read_bytes(), filter.to_bytes())
            self.objects[letter] = (kind or type(filter).load)(path)

    def open_mapped(self, letter, other):
        def opened(path):
            data = pathlib.Path(path).read_bytes()
            pathlib.Path(path).write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
            bloomline.MappedBloomFilter(path)  # which reads no bits
            with self.assertRaisesRegex(ValueError, "checksum"):
                bloomline.MappedBloomFilter(path, verify=True)
            pathlib.Path(path).write_bytes(data)
            return bloomline.MappedBloomFilter(path, verify=True)

        self.load(letter, other, opened)

    def to_bytes(self, letter):
        return digest(self.objects[letter].to_bytes())

    def equal(self, letter, other):
        self.assertNotEqual(self.objects[letter] == self.objects[other],
                            self.objects[letter] != self.objects[other])
        return self.objects[letter] == self.objects[other]

    def finish(self, letter, other, num_threads):
        data = self.objects[other].finish(num_threads)
        self.objects[letter] = bloomline.FilterView(data)
        return digest(data)

    def may_match_keys(self, letter, begin, end):
        filter, keys = self.objects[letter], KEYS[begin:end]
        answers = filter.may_match_keys(keys)
        self.assertEqual(answers, [filter.may_match(key) for key in keys])
        self.assertEqual(answers, [key in filter for key in keys])
        return sum(answers)

    def validate(self, digits):
        data = bytes.fromhex(digits)
        view = bloomline.FilterView(data)  # refuses a compact filter
        self.assertTrue(view.always_matches and "key" in view)
        checked(lib.bloomline_view_validate, data, len(data))

    def of_object(self, name, letter, *arguments):
        value = getattr(self.objects[letter], name)
        if name.endswith("_keys") and arguments:
            return value(KEYS[slice(*arguments)])
        arguments = [self.objects[one] if isinstance(one, str) else KEYS[one] for one in arguments]
        return value(*arguments) if callable(value) else value

    def call(self, name, *arguments):
        if hasattr(self, name):
            return getattr(self, name)(*arguments)
        if hasattr(sizing, name):
            return getattr(sizing, name)(*arguments)
        return self.of_object(name, *arguments)

    def test_all(self):
        self.objects = {}
        for step in STEPS:
            name, *arguments, expected = step
            with self.subTest(step):
                if name in ("policy", "servers"):  # of RocksDB and Redis
                    continue
                if isinstance(expected, dict):
                    sentence = expected["error"]
                    kind = MemoryError if "out of memory" in sentence else ValueError
                    with self.assertRaises(kind) as raised:
                        self.call(name, *arguments)
                    self.assertIn(sentence, str(raised.exception))
                else:
                    value = self.call(name, *arguments)
                    self.assertEqual(
                        float(f"{value:.6g}") if isinstance(value, float) else value, expected)
