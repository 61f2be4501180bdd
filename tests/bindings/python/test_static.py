"""Static filters and sizing."""

import mmap
import os
import tempfile
import unittest

import bloomline
from bloomline import sizing
from keys import missing, stored

NUM_KEYS = 20000
STORED = stored(NUM_KEYS)
MISSING = missing(NUM_KEYS)
TAKE_PATHS = (bloomline.FilterView.open_mapped, bloomline.MappedBloomFilter,
              bloomline.BloomFilter.load, bloomline.ScalableBloomFilter.load,
              bloomline.CountingBloomFilter.load, bloomline.BloomFilter(10).save)


class StaticFiltersTest(unittest.TestCase):
    def check(self, view):
        self.assertEqual(view.may_match_keys(STORED), [True] * NUM_KEYS)
        self.assertLess(sum(view.may_match_keys(MISSING)), 0.013 * NUM_KEYS)

    def test_views_borrow_all_kinds_of_bytes(self):
        data = bloomline.build_filter(STORED, "ribbon", false_positive_rate=0.01)
        self.assertLess(len(data) * 8 / NUM_KEYS, 7.3)
        for kind in (bytes, bytearray, memoryview, lambda data: memoryview(bytearray(data))):
            self.check(bloomline.FilterView(kind(data)))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "filter")
            with open(path, "wb") as file:
                file.write(data)
            with bloomline.FilterView.open_mapped(path) as view:
                self.check(view)
            with open(path, "rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
            view = bloomline.FilterView(mapped)
            with self.assertRaises(BufferError):
                mapped.close()  # the view holds it
            view.close()
            mapped.close()
            with self.assertRaisesRegex(ValueError, "closed"):
                view.may_match("key")
            open(path, "wb").close()
            self.assertTrue(bloomline.FilterView.open_mapped(path).always_matches)

    def test_a_descriptor_is_no_path(self):
        with tempfile.TemporaryFile() as file:
            for wrong in file.fileno(), True, None, 1.5:
                for function in TAKE_PATHS:
                    with self.assertRaisesRegex(TypeError, "path is .*; allowed: str, bytes"):
                        function(wrong)
                    os.fstat(file.fileno())  # is still open

    def test_only_regular_files(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)  # to open it for reading waits for a writer, and none comes
            for path in pipe, "/dev/zero":
                for function in TAKE_PATHS:
                    with self.assertRaisesRegex(ValueError, f"^{path}: is not a regular file$"):
                        function(path)
            with self.assertRaisesRegex(IsADirectoryError, f"directory: '{folder}'"):
                bloomline.BloomFilter.load(folder)

    def test_drawn_seeds_differ(self):
        self.assertNotEqual(bloomline.draw_seed(), bloomline.draw_seed())

    def test_errors_name_the_value_and_what_is_allowed(self):
        for arguments, sentence in [
                (dict(format="cuckoo"), "format is 'cuckoo'; allowed: 'classic', 'blocked'"),
                (dict(bits_per_key=5, false_positive_rate=0.1), "both"),
        ]:
            with self.assertRaisesRegex(ValueError, sentence):
                bloomline.FilterBuilder(**arguments)
        with self.assertRaisesRegex(ValueError, "num_threads is 0; allowed: 1 or more"):
            bloomline.FilterBuilder().finish(0)


class SizingTest(unittest.TestCase):
    def test_errors_name_the_value_and_what_is_allowed(self):
        for use, sentence in [
                (lambda: sizing.false_positive_rate("cuckoo", 10), "format is 'cuckoo'; allowed"),
                (lambda: sizing.filter_bytes("ribbon", -1, 9), "num_keys is -1; allowed"),
        ]:
            with self.assertRaisesRegex(ValueError, sentence):
                use()
