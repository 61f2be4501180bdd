"""Keys in arrays, long iterators, answers in buffers."""

import sys
import unittest
from array import array

import bloomline

try:
    import numpy
except ImportError:
    numpy = None


class ArraysTest(unittest.TestCase):
    def test_integers_are_their_bytes_in_memory(self):
        for code in "hHiIlLqQ":
            filter = bloomline.BloomFilter(1000)
            values = array(code, range(500))
            filter.add_keys(values)
            size = values.itemsize
            raw = values.tobytes()
            self.assertTrue(all(raw[i:i + size] in filter for i in range(0, len(raw), size)))
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

    def test_many_batches(self):
        count = 150000
        filter = bloomline.BloomFilter(2 * count)
        self.assertGreater(filter.add_keys(b"%d" % i for i in range(count)), 0.98 * count)
        answers = filter.may_match_keys(b"%d" % i for i in range(2 * count))
        self.assertEqual(len(answers), 2 * count)
        self.assertTrue(all(answers[:count]))
        self.assertLess(sum(answers[count:]), 0.02 * count)
        filter.add_keys(array("Q", range(count)))
        self.assertTrue(all(filter.may_match_keys(array("Q", range(count)))))
        self.assertTrue(all(number.to_bytes(8, sys.byteorder) in filter
                            for number in range(0, count, 1000)))
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
        numbers = numpy.arange(500, dtype="<u8")
        filter.add_keys(numbers)
        self.assertIn((499).to_bytes(8, "little"), filter)
        self.assertTrue(all(filter.may_match_keys(numbers[::3])))
        out = numpy.zeros(500, dtype=bool)
        self.assertTrue(filter.may_match_keys(numbers, out=out).all())
        rows = numpy.frombuffer(b"abcdef", dtype="u1").reshape(2, 3)
        filter.add_keys(rows)
        self.assertIn("def", filter)
        for wrong in (numpy.array(["text"]), numpy.array([1.5]), numpy.array([b"x", 1], object)):
            with self.assertRaises(TypeError):
                filter.add_keys(wrong)


if __name__ == "__main__":
    unittest.main()
