"""Filters on a real Redis server, which is skipped if there is none."""

import copy
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import textwrap
import time
import unittest

from bloomline import _library
from keys import missing, stored
from test_behaviours import STEPS

FOLDER = pathlib.Path(_library.lib._name).parent
# In Debian, redis-check-rdb is the same program, and comes without a service.
SERVER = shutil.which("redis-server") or shutil.which("redis-check-rdb")
NUM_KEYS = 70000  # more than a batch
STORED = stored(NUM_KEYS)


def setUpModule():
    if SERVER is None:
        raise unittest.SkipTest("there is no redis-server here")
    if not (FOLDER / "libbloomline_redis.so").exists():
        raise unittest.SkipTest(f"{FOLDER} has no libbloomline_redis.so")


class RedisTest(unittest.TestCase):
    def setUp(self):
        from bloomline import redis
        self.redis = redis
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "socket")
        self.server = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--dir",
             self.folder.name], executable=SERVER, stdout=subprocess.DEVNULL)
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(self.stop)
        self.address = "unix://" + path
        # A busy machine may leave the server without CPU time.
        self.servers = redis.RedisServers(self.address, command_timeout_ms=20000)
        for _ in range(3000):
            with socket.socket(socket.AF_UNIX) as client:
                try:
                    client.connect(path)
                    return
                except OSError:
                    time.sleep(0.02)
        self.fail("redis-server does not start")

    def stop(self):
        self.server.kill()
        self.server.wait()

    def test_filter(self):
        shared = self.redis.SharedBloomFilter
        with self.assertRaisesRegex(ValueError, "there is no filter 'python'"):
            shared.open(self.address, "python")
        with shared.create(self.servers, "python", 2 * NUM_KEYS, shard_bytes=8192) as filter:
            self.assertIs(filter.add_key("\u00e9t\u00e9"), True)
            self.assertIs(filter.add_key("\u00e9t\u00e9".encode()), False)
            self.assertNotIn(STORED[0], filter)
            results = filter.add_keys(STORED)
            self.assertEqual(len(results), NUM_KEYS)
            self.assertGreater(results.count(True), 0.97 * NUM_KEYS)
            self.assertEqual((filter.name, filter.capacity), ("python", 2 * NUM_KEYS))
            self.assertEqual(filter.false_positive_rate, 0.01)
            self.assertEqual(filter.num_shards, -(-filter.num_bytes // 8192))
            self.assertGreater(filter.num_probes, 4)
            self.assertIsNone(filter.error)
            with self.assertRaisesRegex(self.redis.RedisError, "replica"):
                filter.add_key("x", min_replicas=1, replica_timeout_ms=1)
            with self.assertRaisesRegex(self.redis.RedisError, "replica"):
                filter.add_keys(["x", "y"], min_replicas=1, replica_timeout_ms=1)
        other = shared.open([self.address], "python")
        self.assertEqual(other.may_match_keys(STORED), [True] * NUM_KEYS)
        self.assertLess(sum(other.may_match_keys(missing(NUM_KEYS))), 0.015 * NUM_KEYS)
        with self.assertRaisesRegex(ValueError, "capacity"):
            shared.create(self.address, "python", NUM_KEYS)
        shared.delete(self.address, "python")
        self.assertTrue(other.may_match("anything"))  # nobody can know
        self.assertIsNotNone(other.error)

    def test_program_of_the_guide(self):
        guide = (pathlib.Path(__file__).parents[3] / "docs/python.md").read_text(encoding="utf-8")
        program = textwrap.dedent(
            re.search(r"^    from bloomline\.redis import.*?(?=^\S)", guide, re.M | re.S)[0])
        address = '"redis://:password@10.0.0.5:6379"'
        self.assertIn(address, program)
        values = {}
        exec(program.replace(address, repr(self.address)), values)
        self.assertIn("https://example.com/", values["seen"])
        self.assertNotIn("https://example.org/", values["seen"])

    def test_without_a_server(self):
        made = {}
        for when in ("may_match", "error"):
            servers = self.redis.RedisServers(self.address, max_retries=0,
                                              command_timeout_ms=20000, when_unavailable=when)
            made[when] = self.redis.SharedBloomFilter.create(servers, "python", 100)
            self.assertNotIn("key", made[when])
        self.stop()
        self.assertIn("key", made["may_match"])
        self.assertEqual(made["may_match"].may_match_keys(["key", "other"]), [True, True])
        self.assertIsNotNone(made["may_match"].error)
        for use in (lambda filter: "key" in filter, lambda filter: filter.may_match_keys(["key"])):
            with self.assertRaises(self.redis.RedisError):
                use(made["error"])
        for filter in made.values():
            with self.assertRaises(ConnectionError):
                filter.add_key("key")
            with self.assertRaises(ConnectionError):
                filter.add_keys(["key"])
        for use in (lambda: self.redis.SharedBloomFilter.create(servers, "python", 100),
                    lambda: self.redis.SharedBloomFilter.open(servers, "python"),
                    lambda: self.redis.SharedBloomFilter.delete(servers, "python")):
            with self.assertRaisesRegex(self.redis.RedisError, "cannot connect"):
                use()
        filter.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            filter.add_key("key")

    def test_a_key_of_other_contents_is_no_failure_of_the_connection(self):
        # Who tries again after a ConnectionError would do so for ever.
        self.redis.SharedBloomFilter.create(self.address, "python", 100).close()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(self.address[len("unix://"):])
            client.sendall(b"SET bloomline:{python} text\r\n")
            self.assertEqual(client.recv(100), b"+OK\r\n")
        for use in (lambda: self.redis.SharedBloomFilter.open(self.address, "python"),
                    lambda: self.redis.SharedBloomFilter.create(self.address, "python", 100)):
            with self.assertRaisesRegex(ValueError, "is not the header of a filter"):
                use()

    def test_behaviours(self):
        for _, options, expected in (step for step in STEPS if step[0] == "servers"):
            with self.assertRaisesRegex(ValueError, expected["error"]):
                servers = self.redis.RedisServers("127.0.0.1:1", **options)
                self.redis.SharedBloomFilter.open(servers, "f")

    def test_errors_name_the_value_and_what_is_allowed(self):
        servers, shared = self.redis.RedisServers, self.redis.SharedBloomFilter
        for use, sentence in [
                (lambda: servers(when_unavailable="never"), "when_unavailable is 'never'; allowed"),
                (lambda: shared.open([], "f"), "server"),
                (lambda: shared.open(servers(self.address, tls_ca_file="tls.pem"), "f"),
                 "tls_ca_file is 'tls.pem', but"),
                (lambda: shared.open(self.address, "a b"), "name"),
                (lambda: shared.open(self.address, "a\0b"), "null character"),
                (lambda: shared.create(self.address, "f", 0), "capacity is 0"),
                (lambda: shared.create(self.address, "f", -1), "capacity is -1"),
        ]:
            with self.assertRaisesRegex(ValueError, sentence):
                use()
        for use, sentence in [
                (lambda: shared("host", "f"), "SharedBloomFilter.create or .*open"),
                (lambda: servers([5]), "servers is int; allowed: str"),
                (lambda: servers(b"host"), "servers is bytes; allowed: str"),
        ]:
            with self.assertRaisesRegex(TypeError, sentence):
                use()
        with shared.create(self.address, "f", 10) as filter:
            with self.assertRaisesRegex(TypeError, "has no copy"):
                copy.copy(filter)
            self.assertIn("name='f' capacity=10", repr(filter))
