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
# What bloomline 0.3.0 wrote for `seq 40 | bloomline build --format compact`.
FORMER_COMPACT = bytes.fromhex(
    "a43c79ee1e4cb9b1ef890fa065980aad4ec4cbc4189578999e192a1771105b802b1a29cd1e66563946da"
    "47dc1657e6d4a500c1ab3f4db70482917fd0657a243100000000000000000100000003050000624c6e01")
TAKE_PATHS = (bloomline.FilterView.open_mapped, bloomline.MappedBloomFilter,
              bloomline.BloomFilter.load, bloomline.ScalableBloomFilter.load,
              bloomline.CountingBloomFilter.load, bloomline.BloomFilter(10).save)


class StaticFiltersTest(unittest.TestCase):
    def check(self, view, most_false_positives):
        self.assertEqual(view.may_match_keys(STORED), [True] * NUM_KEYS)
        self.assertTrue(all(key in view for key in STORED[:500]))
        self.assertLess(sum(view.may_match_keys(MISSING)), most_false_positives * NUM_KEYS)
        self.assertFalse(view.always_matches)

    def test_no_false_negative_and_few_false_positives(self):
        for format, most in (("blocked", 0.013), ("ribbon", 0.003)):
            data = bloomline.build_filter(STORED, format)
            self.assertAlmostEqual(len(data), sizing.filter_bytes(format, NUM_KEYS, 10), delta=64)
            self.check(bloomline.FilterView(data), most)
            builder = bloomline.FilterBuilder(format, 10)
            for key in STORED:
                builder.add_key(key)
            self.assertEqual(builder.num_keys, NUM_KEYS)
            self.assertEqual(builder.finish(num_threads=2), data)
            self.assertEqual(builder.num_keys, 0)
            self.assertNotIn(STORED[0], bloomline.FilterView(builder.finish()))

    def test_any_bytes_give_a_view_that_may_match(self):
        for data in (b"", b"x", b"\xff" * 100, bytearray(64)):
            view = bloomline.FilterView(data)
            self.assertTrue(view.always_matches)
            self.assertIn("key", view)

    def test_a_compact_filter_of_before_0_4_0_is_refused(self):
        sentence = ("^a compact filter of bloomline before 0.4.0: build it again from its keys, as "
                    "ribbon or blocked$")
        with self.assertRaisesRegex(ValueError, sentence):
            bloomline.FilterView(FORMER_COMPACT)
        with tempfile.NamedTemporaryFile() as file:
            file.write(FORMER_COMPACT)
            file.flush()
            with self.assertRaisesRegex(ValueError, sentence):
                bloomline.FilterView.open_mapped(file.name)

    def test_views_borrow_all_kinds_of_bytes(self):
        data = bloomline.build_filter(STORED, "ribbon", false_positive_rate=0.01)
        self.assertLess(len(data) * 8 / NUM_KEYS, 7.3)
        for kind in (bytes, bytearray, memoryview, lambda data: memoryview(bytearray(data))):
            self.check(bloomline.FilterView(kind(data)), 0.013)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "filter")
            with open(path, "wb") as file:
                file.write(data)
            with bloomline.FilterView.open_mapped(path) as view:
                self.check(view, 0.013)
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

    def test_builders_join(self):
        builders = [bloomline.FilterBuilder("ribbon", 8, seed=5) for _ in range(2)]
        builders[0].add_keys(STORED[:5000])
        builders[1].add_keys(STORED[5000:])
        builders[0].take_keys_from(builders[1])
        self.assertEqual(builders[1].num_keys, 0)
        self.check(bloomline.FilterView(builders[0].finish()), 0.01)
        with self.assertRaisesRegex(ValueError, "seeds"):
            builders[0].take_keys_from(bloomline.FilterBuilder("ribbon", 8))
        builders[0].add_key_and_prefix("user:5", "user:")
        view = bloomline.FilterView(builders[0].finish())
        self.assertIn("user:", view)
        self.assertNotIn("group:", view)

    def test_drawn_seeds_differ(self):
        self.assertNotEqual(bloomline.draw_seed(), bloomline.draw_seed())

    def test_errors_name_the_value_and_what_is_allowed(self):
        for arguments, sentence in [
                (dict(format="cuckoo"), "format is 'cuckoo'; allowed: 'classic', 'blocked'"),
                (dict(format="bloom"), "bloom, which is written in RocksDB only; allowed: blocked"),
                (dict(format="compact"), "in LevelDB only; allowed: blocked, ribbon .ribbon takes"),
                (dict(bits_per_key=1000), "bits_per_key is 1000; allowed: 1 to 100"),
                (dict(bits_per_key=5, false_positive_rate=0.1), "both"),
                (dict(false_positive_rate=1e-12), "1e-12; allowed in blocked filters"),
                (dict(seed=5, random_seed=True), "seed"),
        ]:
            with self.assertRaisesRegex(ValueError, sentence):
                bloomline.FilterBuilder(**arguments)
        with self.assertRaisesRegex(ValueError, "num_threads is 0; allowed: 1 or more"):
            bloomline.FilterBuilder().finish(0)


class SizingTest(unittest.TestCase):
    def test_sizes(self):
        bits = sizing.bits_per_key_for_false_positive_rate("blocked", 0.01)
        self.assertAlmostEqual(sizing.false_positive_rate("blocked", bits), 0.01, places=5)
        self.assertLess(sizing.bits_per_key_for_false_positive_rate("ribbon", 0.01), 7.2)
        self.assertGreaterEqual(sizing.filter_bytes("blocked", 5_000_000_000, 10), 6_250_000_000)
        for format in ("classic", "compact", "bloom", "ribbon"):
            self.assertGreater(sizing.filter_bytes(format, 1000, 10), 1200)

    def test_errors_name_the_value_and_what_is_allowed(self):
        for use, sentence in [
                (lambda: sizing.false_positive_rate("cuckoo", 10), "format is 'cuckoo'; allowed"),
                (lambda: sizing.false_positive_rate("blocked", 0.5),
                 "bits_per_key is 0.5; allowed"),
                (lambda: sizing.bits_per_key_for_false_positive_rate("blocked", 0),
                 "rate is 0; allowed"),
                (lambda: sizing.filter_bytes("compact", 10, 99),
                 "bits_per_key is 99; allowed: 3 to 24 in format compact"),
                (lambda: sizing.filter_bytes("ribbon", -1, 9), "num_keys is -1; allowed"),
        ]:
            with self.assertRaisesRegex(ValueError, sentence):
                use()
