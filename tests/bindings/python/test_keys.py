"""The bytes of keys, keys in arrays, long iterators, answers in buffers."""

import enum
import itertools
import pathlib
import unittest
from array import array

import bloomline
from bloomline._keys import batches, key_bytes

try:
    import numpy
except ImportError:
    numpy = None


# Keys that the C++ tests encode as well (keys_test.cc).
GOLDEN = pathlib.Path(__file__).parents[2] / "golden/keys.txt"


class EncodingTest(unittest.TestCase):
    def test_golden_vectors(self):
        num_alone = 0
        for line in GOLDEN.read_text().splitlines():
            parts, encoded, _ = line.split()
            key = tuple(bytes.fromhex(part[1:]) if part[0] == "s" else int(part)
                        for part in parts.split(","))
            expected = bytes.fromhex(encoded)
            self.assertEqual(key_bytes(key), expected, line)
            if len(key) == 1 and isinstance(key[0], int):
                self.assertEqual(key_bytes(key[0]), expected, line)
                num_alone += 1
        self.assertEqual(num_alone, 14)

    def test_strings_in_tuples(self):
        expected = key_bytes((7, b"\xc3\xa9"))
        self.assertEqual(key_bytes("\u00e9"), b"\xc3\xa9")
        self.assertEqual(key_bytes(""), b"")
        for part in ("\u00e9", bytearray(b"\xc3\xa9"), memoryview(b"\xc3.\xa9.")[::2]):
            self.assertEqual(key_bytes((7, part)), expected)
        self.assertEqual(key_bytes(("a", "bc")), b"\1" + bytes(7) + b"a\2" + bytes(7) + b"bc")

    def test_integers_of_other_types(self):
        self.assertEqual(key_bytes(enum.IntEnum("Color", "RED GREEN").GREEN), key_bytes(2))
        if numpy is None:
            return
        for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4"):
            self.assertEqual(key_bytes(numpy.dtype(kind).type(100)), key_bytes(100))
        self.assertEqual(key_bytes(numpy.int8(-3)), key_bytes(-3))
        for wrong in (numpy.bool_(True), numpy.float64(1), numpy.array([1])):
            with self.assertRaisesRegex(TypeError, "a key is (bool|float64|ndarray)"):
                key_bytes(wrong)

    def test_every_way_to_pass_an_integer_is_one_key(self):
        for value in (0, 5, 300, -1, -32768, 2**31 - 1, -2**63, 2**64 - 1):
            filter = bloomline.BloomFilter(1000)
            filter.add_key(value)
            self.assertNotIn(str(value), filter)
            for code in "hHiIlLqQ":
                try:
                    values = array(code, [value])
                except OverflowError:
                    continue
                self.assertEqual(filter.may_match_keys(values), [True], code)
            self.assertEqual(filter.may_match_keys([value, (value,), value.__index__() & 2**64 - 1,
                                                    7]), [True, True, True, False])

    def test_what_has_no_encoding_is_refused(self):
        for kind, wrong, sentence in [
                (TypeError, 1.5, "a key is float; allowed: bytes, .*, str .as UTF-8., tuples and"),
                (TypeError, True, "a key is bool; allowed: "),
                (TypeError, None, "a key is NoneType; allowed: "),
                (TypeError, ["key"], "a key is list; allowed: "),
                (TypeError, (1, 2.0), "part 2 of a key is float; allowed: bytes"),
                (TypeError, ((1, 2), 3), "part 1 of a key is tuple; allowed: bytes"),
                (TypeError, (1, False), "part 2 of a key is bool"),
                (ValueError, (), "no parts; allowed: one part"),
                (ValueError, 2**64, r"a key is 18446744073709551616; allowed: -2\*\*63 to 2\*\*64"),
                (ValueError, -2**63 - 1, "a key is -9223372036854775809; allowed"),
                (ValueError, (1, 10**5000), "part 2 of a key is an integer of 16610 bits; allowed"),
                (UnicodeEncodeError, "\ud800", "surrogates not allowed"),
        ]:
            filter = bloomline.BloomFilter(1000)
            for use in (filter.add_key, filter.may_match, filter.__contains__,
                        lambda key: filter.add_keys([key]),
                        lambda key: filter.may_match_keys([key])):
                with self.assertRaisesRegex(kind, sentence):
                    use(wrong)
        for one in ("abc", b"abc", bytearray(b"abc")):
            with self.assertRaisesRegex(TypeError, "pass a list"):
                filter.add_keys(one)


class IterablesTest(unittest.TestCase):
    def test_keys_before_an_error_are_in(self):
        def broken(count):
            yield from (b"%d" % i for i in range(count))
            raise OSError("no more")

        for count in (0, 10, 70000):
            filter = bloomline.BloomFilter(100000)
            with self.assertRaisesRegex(OSError, "no more"):
                filter.add_keys(broken(count))
            added = [b"%d" % i for i in range(count)]
            self.assertEqual(filter.may_match_keys(added), [True] * count)
            self.assertEqual(filter.may_match_keys(iter(added)), [True] * count)
            self.assertEqual(filter.num_keys > 0, count > 0)
        for keys in (["a", "b", 1.5, "c"], ("a", "b", None), iter(["a", "b", 2**64])):
            filter = bloomline.BloomFilter(1000)
            with self.assertRaises((TypeError, ValueError)):
                filter.add_keys(keys)
            self.assertEqual(filter.may_match_keys("abc"[i] for i in range(3)),
                             [True, True, False])

    def test_an_iterator_may_use_one_buffer_for_all_keys(self):
        def keys():
            buffer = bytearray(8)
            for i in range(1000):
                buffer[:] = i.to_bytes(8, "little")
                yield buffer

        filter = bloomline.BloomFilter(1000)
        filter.add_keys(keys())
        self.assertTrue(all(filter.may_match_keys(range(1000))))

    def test_long_keys_of_an_iterator_are_not_collected(self):
        numbers = [batch.num_keys for batch in batches(itertools.repeat(bytes(1 << 20), 40))]
        self.assertEqual(sum(numbers), 40)
        self.assertLess(max(numbers), 20)


class ArraysTest(unittest.TestCase):
    def test_integers_are_as_in_lists(self):
        for code in "hHiIlLqQ":
            filter = bloomline.BloomFilter(1000)
            least = 0 if code.isupper() else -250
            values = array(code, range(least, least + 500))
            filter.add_keys(values)
            self.assertTrue(all(value in filter for value in values))
            self.assertTrue(all(filter.may_match_keys(list(values))))
            self.assertTrue(all(filter.may_match_keys(values)))
            self.assertTrue(all(filter.may_match_keys(memoryview(values)[::2])))
            others = array(code, range(1000, 1500))
            self.assertLess(sum(filter.may_match_keys(others)), 25)

    def test_rows_of_bytes(self):
        rows = memoryview(b"".join(b"row %03d" % i for i in range(500))).cast("B", (500, 7))
        filter = bloomline.BloomFilter(1000)
        filter.add_keys(rows)
        self.assertTrue(all("row %03d" % i in filter for i in range(500)))
        self.assertTrue(all(filter.may_match_keys(rows)))
        self.assertNotIn("row 500", filter)

    def test_no_keys(self):
        filter = bloomline.BloomFilter(1000)
        self.assertEqual(filter.may_match_keys([]), [])
        self.assertEqual(filter.may_match_keys(array("Q")), [])
        self.assertEqual(filter.add_keys([]), 0)

    def test_long_keys(self):
        filter = bloomline.BloomFilter(1000)
        long = [b"%d" % i + bytes(1 << 20) for i in range(20)]
        self.assertEqual(filter.add_keys(long), 20)
        self.assertTrue(all(key in filter for key in long))
        self.assertEqual(filter.may_match_keys(long + [bytes(1 << 20), b""]),
                         [True] * 20 + [False] * 2)
        self.assertEqual(filter.add_keys([b"", b"x", b""]), 2)
        self.assertIn("", filter)

    def test_answers_in_a_buffer(self):
        count = 70000
        filter = bloomline.BloomFilter(count)
        filter.add_keys(array("Q", range(0, count, 2)))
        keys = array("Q", range(count))
        out = bytearray(b"\x07" * count)
        self.assertIs(filter.may_match_keys(keys, out=out), out)
        self.assertEqual([bool(byte) for byte in out], filter.may_match_keys(keys))
        self.assertEqual(set(out), {0, 1})
        for size, sentence in ((count - 1, "there are more keys"),
                               (count + 1, "there are only 70000")):
            with self.assertRaisesRegex(ValueError, sentence):
                filter.may_match_keys(keys, out=bytearray(size))
        for wrong in (bytes(count), array("H", [0] * count), 5):
            with self.assertRaisesRegex(TypeError, "out must be a writable"):
                filter.may_match_keys(keys, out=wrong)

    def test_other_arrays_are_refused(self):
        filter = bloomline.BloomFilter(1000)
        for wrong in (array("d", [1.0]), array("B", [1, 2]), memoryview(b"abc"),
                      memoryview(bytes(8)).cast("B", (2, 2, 2))):
            with self.assertRaisesRegex(TypeError, "allowed: one dimension of integers"):
                filter.add_keys(wrong)
            with self.assertRaises(TypeError):
                filter.may_match_keys(wrong)

    @unittest.skipIf(numpy is None, "there is no numpy here")
    def test_numpy(self):
        filter = bloomline.BloomFilter(1000)
        words = numpy.array([b"a", b"apple", b"pear\0s"])
        filter.add_keys(words)
        for word in (b"a", "apple", b"pear\0s"):
            self.assertIn(word, filter)
        for kind in ("<u8", ">u8", "<i4", ">i4", "<u2", ">u2", "i8"):
            numbers = numpy.arange(500, dtype=kind)
            filter.clear()
            filter.add_keys(numbers)
            self.assertIn(499, filter, kind)
            self.assertTrue(all(filter.may_match_keys(range(500))), kind)
            self.assertTrue(all(filter.may_match_keys(numbers[::3])), kind)
        out = numpy.zeros(500, dtype=bool)
        self.assertTrue(filter.may_match_keys(numbers, out=out).all())
        rows = numpy.frombuffer(b"abcdef", dtype="u1").reshape(2, 3)
        filter.add_keys(rows)
        self.assertIn("def", filter)
        for wrong in (numpy.array([1.5]), numpy.array([b"x", 1], object)):
            with self.assertRaises(TypeError):
                filter.add_keys(wrong)
        with self.assertRaisesRegex(TypeError, "array of str; allowed: a list of str, .* tolist"):
            filter.add_keys(numpy.array(["text"]))
