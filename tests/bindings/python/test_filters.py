"""The filters in memory: what Python adds to the functions that test_behaviours.py calls."""

import copy
import functools
import operator
import os
import pathlib
import pickle
import tempfile
import unittest

import bloomline
from keys import missing, stored

NUM_KEYS = 20000
STORED = stored(NUM_KEYS)
MISSING = missing(NUM_KEYS)


MUTABLE = [
    ("blocked", lambda: bloomline.BloomFilter(NUM_KEYS)),
    ("standard", lambda: bloomline.BloomFilter(NUM_KEYS, layout="standard")),
    ("num_bits", lambda: bloomline.BloomFilter(num_bits=10 * NUM_KEYS, num_probes=6)),
    ("atomic", lambda: bloomline.AtomicBloomFilter(NUM_KEYS)),
    ("scalable", lambda: bloomline.ScalableBloomFilter(100)),
    ("counting", lambda: bloomline.CountingBloomFilter(NUM_KEYS)),
]


def for_each(test):
    """Runs a test with a new filter of each kind."""
    @functools.wraps(test)
    def run(self):
        for name, make in MUTABLE:
            with self.subTest(name), make() as filter:
                test(self, filter)
    return run


class MutableFiltersTest(unittest.TestCase):

    @for_each
    def test_keys_have_any_bytes(self, filter):
        self.assertTrue(filter.add_key(b"a key \0 alone"))
        self.assertIn(b"a key \0 alone", filter)
        self.assertLess(sum(filter.may_match_keys(b"a key \0 %d" % i for i in range(500))), 25)

    @for_each
    def test_closed_filters_raise(self, filter):
        filter.close()
        filter.close()
        self.assertTrue(filter.closed)
        for use in (lambda: filter.add_key("key"), lambda: "key" in filter,
                    lambda: filter.may_match_keys(["key"]), lambda: filter.add_keys(["key"]),
                    lambda: filter.capacity, filter.__enter__):
            with self.assertRaisesRegex(ValueError, "closed"):
                use()

    @for_each
    def test_saved_filters_are_the_same(self, filter):
        if not hasattr(filter, "save"):
            return
        with tempfile.TemporaryDirectory() as folder:
            filter.add_keys(STORED)
            path = os.path.join(folder, "filter")
            data = filter.to_bytes()
            for other in (pickle.loads(pickle.dumps(filter)), copy.deepcopy(filter),
                          type(filter).from_bytes(memoryview(bytearray(data)))):
                self.assertEqual(other.to_bytes(), data)
            self.assertEqual(bytes(filter), data)
            self.assertIn(b"bloomline\x94", pickle.dumps(filter))  # not the file of the class
            filter.save(pathlib.Path(path))
            self.assertEqual(type(filter).load(pathlib.Path(path)).to_bytes(), filter.to_bytes())
            with self.assertRaises(FileNotFoundError):
                type(filter).load(os.path.join(folder, "nothing"))
            with self.assertRaisesRegex(FileNotFoundError, "nothing/filter"):
                filter.save(os.path.join(folder, "nothing", "filter"))
            with self.assertRaisesRegex(ValueError, "null byte"):
                filter.save(path + "\0")


class HandlesTest(unittest.TestCase):
    def test_one_owner_for_each_pointer(self):
        # copy.copy took the pointer as well, and both freed it.
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "filter")
            bloomline.BloomFilter(100).save(path)
            for handle in (bloomline.AtomicBloomFilter(100), bloomline.FilterBuilder(),
                           bloomline.FilterView(b""), bloomline.MappedBloomFilter(path)):
                for use in (copy.copy, copy.deepcopy, pickle.dumps):
                    with self.assertRaisesRegex(TypeError, type(handle).__name__ + " has no copy"):
                        use(handle)
                self.assertNotIn("closed", repr(handle))
                handle.close()
                self.assertEqual(repr(handle), f"<{type(handle).__name__} closed>")


    def test_names_of_other_packages_are_refused_with_ours(self):
        for kind, name, ours in [
                (bloomline.BloomFilter, "add", "add_key"),
                (bloomline.ScalableBloomFilter, "update", "add_keys"),
                (bloomline.AtomicBloomFilter, "add", "add_key"),
                (bloomline.BloomFilter, "union", "merge"),
                (bloomline.CountingBloomFilter, "union", "merge"),
                (bloomline.BloomFilter, "intersection", "intersect")]:
            for one in (kind, kind(10)):
                with self.assertRaisesRegex(
                        AttributeError, f"^{kind.__name__} has no {name}; its name is {ours}$"):
                    getattr(one, name)
        with self.assertRaisesRegex(AttributeError, "no attribute 'add'"):
            bloomline.FilterView(b"").add

        class OfUser(bloomline.BloomFilter):
            def add(self, key):
                return self.add_key(key)

        self.assertTrue(OfUser(10).add("key"))
        self.assertIn("OfUser.add", OfUser.add.__qualname__)

    def test_errors_name_no_private_class(self):
        filter = bloomline.BloomFilter(10)
        for use in (lambda: bloomline.BloomFilter(capacity=10, error_rate=0.1), filter.add_key,
                    filter.may_match_keys, bloomline.BloomFilter.load, lambda: filter.close(1),
                    lambda: filter.merge(bloomline.FilterView(b""))):
            with self.assertRaisesRegex(
                    TypeError, r"^((BloomFilter\.)?\w+\(\)|.*allowed: BloomFilter, Mapped)"):
                use()

    def test_methods_have_the_names_of_their_public_class(self):
        for method in (bloomline.BloomFilter.may_match, bloomline.MappedBloomFilter.may_match,
                       bloomline.BloomFilter.load, bloomline.CountingBloomFilter.close,
                       bloomline.AtomicBloomFilter.__contains__, bloomline.FilterView.may_match):
            self.assertEqual(method, pickle.loads(pickle.dumps(method)))
            self.assertNotIn(b"bloomline._", pickle.dumps(method))
        self.assertEqual("MappedBloomFilter.may_match",
                         bloomline.MappedBloomFilter.may_match.__qualname__)


class BloomFilterTest(unittest.TestCase):
    def test_operators(self):
        first, second = bloomline.BloomFilter(1000), bloomline.BloomFilter(1000)
        first.add_keys(STORED[:100])
        second.add_keys(STORED[50:150])
        for made, keys in ((first | second, STORED[:150]), (first & second, STORED[50:100])):
            self.assertIs(type(made), bloomline.BloomFilter)
            self.assertTrue(all(made.may_match_keys(keys)))
            self.assertLess(sum(made.may_match_keys(STORED[150:300])), 15)
        self.assertLess(sum((first & second).may_match_keys(STORED[:50] + STORED[100:150])), 20)
        union = same = first.copy()
        union |= second
        self.assertIs(union, same)
        self.assertEqual(union, first | second)
        union &= second
        self.assertEqual(union, second)
        for wrong in ({b"key"}, bloomline.CountingBloomFilter(1000)):
            for use in (operator.or_, operator.and_, operator.ior, operator.iand):
                with self.assertRaises(TypeError):
                    use(first, wrong)
        with self.assertRaisesRegex(ValueError, "seed"):
            first | bloomline.BloomFilter(1000, seed=1)
        with self.assertRaises(TypeError):
            hash(union)

    def test_objects_of_another_kind_are_refused(self):
        bloom = bloomline.BloomFilter(NUM_KEYS)
        counting = bloomline.CountingBloomFilter(NUM_KEYS)
        uses = (bloom.merge, bloom.intersect, counting.merge,
                bloomline.AtomicBloomFilter.from_bloom_filter,
                bloomline.FilterBuilder().take_keys_from)
        pairs = [(use, wrong) for use in uses
                 for wrong in (bloomline.AtomicBloomFilter(10), bloomline.FilterView(b""), b"x",
                               None)]
        for use, wrong in pairs + [(bloom.merge, counting), (counting.merge, bloom)]:
            with self.assertRaisesRegex(TypeError, "is .*; allowed: .*(Bloom|Builder)"):
                use(wrong)
        self.assertNotEqual(bloom, counting)

    def test_what_it_says_of_itself(self):
        filter = bloomline.BloomFilter(1000, layout="standard")
        self.assertRegex(repr(filter), r"num_keys=0 \(certainly new\) capacity=1000 layout='stan")
        filter.close()
        self.assertIn("closed", repr(filter))

    def test_mapped_filter(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "filter")
            saved = bloomline.BloomFilter(NUM_KEYS)
            saved.save(path)
            with bloomline.MappedBloomFilter(path, verify=True) as mapped:
                self.assertEqual(mapped, saved)
                self.assertFalse(hasattr(mapped, "add_key"))
            with self.assertRaises(FileNotFoundError):
                bloomline.MappedBloomFilter(path + "nothing")

    def test_errors_name_the_value_and_what_is_allowed(self):
        for arguments, sentence in [
                (dict(capacity=-1), "capacity is -1; allowed: 0 to 18446744073709551615"),
                (dict(capacity=2**64), "capacity is 18446744073709551616; allowed"),
                (dict(num_bits=512, num_probes=2**32 + 1), "num_probes is 4294967297; allowed"),
                (dict(capacity=10, layout="flat"), "layout is 'flat'; allowed: 'blocked'"),
                (dict(capacity=10, seed=-5), "seed is -5; allowed"),
        ]:
            for kind in (bloomline.BloomFilter, bloomline.AtomicBloomFilter):
                with self.assertRaisesRegex(ValueError, sentence):
                    kind(**arguments)
        for arguments, sentence in [((1e6,), "capacity is float; allowed: int"),
                                    (("1000",), "capacity is str; allowed: int"),
                                    ((10, None), "false_positive_rate is NoneType; allowed"),
                                    ((10, "0.1"), "false_positive_rate is str; allowed")]:
            with self.assertRaisesRegex(TypeError, sentence):
                bloomline.BloomFilter(*arguments)
        with self.assertRaisesRegex(ValueError, "CountingBloomFilter|bLnBloom"):
            bloomline.BloomFilter.from_bytes(bloomline.CountingBloomFilter(10).to_bytes())

    def test_errors_have_the_names_of_python(self):
        with self.assertRaises(ValueError) as raised:
            bloomline.FilterBuilder(bits_per_key=float("nan"))
        self.assertNotIn("Validate", str(raised.exception))

    def test_atomic_and_back(self):
        bloom = bloomline.BloomFilter(NUM_KEYS)
        atomic = bloomline.AtomicBloomFilter.from_bloom_filter(bloom)
        self.assertTrue(bloom.closed)
        atomic.snapshot()
        self.assertFalse(atomic.closed)
        atomic.to_bloom_filter()
        self.assertTrue(atomic.closed)
        with self.assertRaisesRegex(ValueError, "closed"):
            bloomline.AtomicBloomFilter.from_bloom_filter(bloom)
