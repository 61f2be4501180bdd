"""Threads: no key is lost, and what is closed is not used."""

import threading
import time
import unittest

import bloomline
from bloomline._library import Functions
from keys import stored

NUM_THREADS = 4
NUM_KEYS = 40000
STORED = stored(NUM_KEYS)
PARTS = [STORED[i::NUM_THREADS] for i in range(NUM_THREADS)]


def query_by(handle, function):
    """may_match_keys calls a function of the test's in place of the library's."""
    handle._c = Functions("bloom")
    vars(handle._c).update(vars(type(handle)._c), may_match_keys=function)


def in_threads(*functions):
    """Runs the functions at the same time, and raises what one of them raised."""
    start = threading.Barrier(len(functions))
    errors = []

    def body(function):
        start.wait()
        try:
            function()
        except Exception as error:  # pylint: disable=broad-except
            errors.append(error)

    # Daemons: threads that wait for ever would keep the interpreter from its end.
    threads = [threading.Thread(target=body, args=(function,), daemon=True)
               for function in functions]
    for thread in threads:
        thread.start()
    end = time.monotonic() + 60
    for thread in threads:
        thread.join(max(0, end - time.monotonic()))
    if any(thread.is_alive() for thread in threads):
        raise AssertionError("threads wait for each other")
    if errors:
        raise errors[0]


class ThreadsTest(unittest.TestCase):
    def test_no_key_is_lost(self):
        for make in (lambda: bloomline.BloomFilter(NUM_KEYS),
                     lambda: bloomline.AtomicBloomFilter(NUM_KEYS),
                     lambda: bloomline.ScalableBloomFilter(100),
                     lambda: bloomline.CountingBloomFilter(NUM_KEYS)):
            filter = make()

            def add(part):
                for i in range(0, len(part), 100):
                    filter.add_keys(part[i:i + 99])
                    filter.add_key(part[i + 99])
                    if not all(filter.may_match_keys(part[max(0, i - 300):i + 100])):
                        raise AssertionError("a key is lost")

            in_threads(*(lambda part=part: add(part) for part in PARTS))
            self.assertTrue(all(filter.may_match_keys(STORED)))

    def test_changes_wait_for_queries_and_queries_for_changes(self):
        # Calls of the library that take long, and say whether another one runs.
        filter = bloomline.BloomFilter(1000)
        running = []
        beside = []

        def slow(kind):
            def call(*_):
                running.append(kind)
                time.sleep(0.002)
                beside.append(frozenset(running))
                running.remove(kind)
                return 0
            return call

        query_by(filter, slow("query"))
        calls = [lambda: [filter.may_match_keys(["key"]) for _ in range(20)]] * 2
        calls += [lambda: [filter._change_each(slow("change"), ["key"]) for _ in range(20)]] * 2
        calls += [lambda: [filter._change(slow("single"), "key") for _ in range(20)]]
        in_threads(*calls)
        self.assertEqual(set(beside), {frozenset(["query"]), frozenset(["change"]),
                                       frozenset(["single"])})

    def test_a_query_may_call_what_uses_the_filter(self):
        # As a finalizer that the garbage collector calls in the middle of a query.
        filter = bloomline.BloomFilter(1000)
        filter.add_key("key")
        inner, done = threading.Event(), []

        def finalizer(*_):
            inner.set()
            while not filter._num_waiting:  # for this query
                time.sleep(0.001)
            filter._c = type(filter)._c
            self.assertEqual(filter.may_match_keys(["key"]), [True])
            filter.add_key("from a finalizer")
            with self.assertRaisesRegex(RuntimeError, "closed inside its own call"):
                filter.close()
            done.append("query")

        def change():
            inner.wait(30)
            filter.add_key("from a thread")
            done.append("change")

        query_by(filter, finalizer)
        in_threads(lambda: filter.may_match_keys(["key"]), change)
        self.assertEqual(done, ["query", "change"])
        self.assertIn("from a finalizer", filter)
        self.assertIn("from a thread", filter)

    def test_a_call_keeps_its_filter(self):
        # As a signal handler, or a finalizer, that runs while the pointer is in use.
        filter = bloomline.BloomFilter(1000)
        num_calls = 0

        def handler(*_):
            nonlocal num_calls
            num_calls += 1
            with self.assertRaisesRegex(RuntimeError, "closed inside its own call"):
                filter.close()
            with self.assertRaisesRegex(RuntimeError, "closed inside its own call"):
                bloomline.AtomicBloomFilter.from_bloom_filter(filter)
            return 0

        filter._query(handler, "key")
        filter._change(handler, "key")
        filter._get(handler)
        filter._query_each(handler, ["key"], None)
        filter._change_each(handler, ["key"])
        filter._change_each(handler, ["key"], beside=True)
        with filter._alone():
            handler()
        self.assertEqual(num_calls, 7)
        filter.add_key("key")
        atomic = bloomline.AtomicBloomFilter.from_bloom_filter(filter)
        self.assertTrue(filter.closed)
        with self.assertRaisesRegex(RuntimeError, "closed inside its own call"):
            atomic._query(lambda *_: atomic.to_bloom_filter(), "key")
        self.assertIn("key", atomic.to_bloom_filter())
        self.assertTrue(atomic.closed)

    def test_an_interrupted_query_is_no_reader(self):
        filter = bloomline.BloomFilter(1000)

        def interrupt(*_):
            raise KeyboardInterrupt

        for call in filter._query, filter._change:
            with self.assertRaises(KeyboardInterrupt):
                call(interrupt, "key")
        with self.assertRaises(KeyboardInterrupt):
            filter._query_each(interrupt, ["key"], None)
        in_threads(lambda: filter.add_keys(["key"]))  # waits for no reader
        filter.close()
        self.assertTrue(filter.closed)

    def test_queries_run_beside_each_other(self):
        for filter, add in ((bloomline.BloomFilter(1000), None),
                            (bloomline.AtomicBloomFilter(1000), "additions too")):
            both = threading.Barrier(2, timeout=30)
            query_by(filter, lambda *_: both.wait())
            calls = [lambda: filter.may_match_keys(["key"])] * 2
            if add:
                calls[1] = lambda: filter._change_each(lambda *_: both.wait(), ["k"], True)
            in_threads(*calls)

    def test_merging_each_other_does_not_wait_for_ever(self):
        first, second = bloomline.BloomFilter(1000), bloomline.BloomFilter(1000)
        first.add_key("first")
        second.add_key("second")
        in_threads(lambda: [first.merge(second) for _ in range(300)],
                   lambda: [second.merge(first) for _ in range(300)],
                   lambda: [first.may_match_keys(["key"]) for _ in range(300)])
        self.assertEqual(first, second)
        self.assertEqual(first.may_match_keys(["first", "second"]), [True, True])

    def test_closing_waits(self):
        for _ in range(20):
            filter = bloomline.BloomFilter(NUM_KEYS)

            def use():
                try:
                    while True:
                        filter.may_match_keys(STORED[:2000])
                except ValueError as error:
                    if "closed" not in str(error):
                        raise

            in_threads(use, use, lambda: (time.sleep(0.002), filter.close()))
            self.assertTrue(filter.closed)

    def test_builders_in_threads(self):
        builder = bloomline.FilterBuilder("ribbon", 8)
        add_keys, alone = builder._c.add_keys, threading.Lock()

        def slow(*arguments):
            self.assertTrue(alone.acquire(blocking=False), "another thread adds keys")
            time.sleep(0.02)
            add_keys(*arguments)
            alone.release()

        builder._c = Functions("builder")
        builder._c.add_keys = slow
        in_threads(*(lambda part=part: builder.add_keys(part) for part in PARTS))
        self.assertEqual(builder.num_keys, NUM_KEYS)
        self.assertTrue(all(bloomline.FilterView(builder.finish(2)).may_match_keys(STORED)))
