"""Programs of others that write LevelDB or RocksDB databases, and what is known of the databases.

Each program is a class with
  packages     what it needs
  prepare()    returns its version; Skip if it cannot be had
  databases()  yields Database objects
"""
import collections
import json
import os
import re
import shutil
import socket
import time

import machine
from machine import PROJECT, Chroot, Host, Process, Skip, cache

STOCK_LEVELDB = "leveldb.BuiltinBloomFilter2"
CLASSIC = "LevelDB Bloom"
BLOOM, RIBBON, LEGACY = "RocksDB Bloom", "RocksDB Ribbon", "RocksDB legacy Bloom"

# What a program made.
#   folder   of the database
#   owner    the program, which may still write; None: it has ended
#   layouts  of the filters, as `bloomline db inspect` should name them; empty: no filters
#   keys     how many different keys are in the tables; None: unknown
#   ready    to be called after the owner has ended, before the last checks
Database = collections.namedtuple("Database", "title folder engine owner layouts keys features")


def database(title, folder, engine, owner=None, layouts=(), keys=None, features=()):
    return Database(title, folder, engine, owner, set(layouts), keys, set(features))


class DbBench:
    """RocksDB's benchmark, in each version of RocksDB that there is."""

    # Title, options, layouts, features.
    VARIANTS = [
        ("Bloom", ["--bloom_bits=10"], [BLOOM], []),
        # Flushed files have Bloom filters.
        ("Ribbon", ["--bloom_bits=10", "--use_ribbon_filter"], [RIBBON], ["compacted"]),
        ("legacy", ["--bloom_bits=10", "--format_version=4"], [LEGACY], []),
        ("partitioned", ["--bloom_bits=10", "--partition_index_and_filters",
                         "--metadata_block_size=1024"], [BLOOM], ["partitioned"]),
        ("prefixes", ["--bloom_bits=10", "--prefix_size=8", "--keys_per_prefix=10"], [BLOOM],
         ["prefixes"]),
        ("no filter", [], [], []),
        ("Zstd", ["--bloom_bits=16", "--compression_type=zstd"], [BLOOM], []),
        ("LZ4", ["--bloom_bits=5", "--compression_type=lz4"], [BLOOM], []),
        ("universal", ["--bloom_bits=10", "--compaction_style=1"], [BLOOM], []),
    ]

    def __init__(self, where, num_keys):
        self.where, self.num_keys = where, num_keys

    def prepare(self):
        return self.where.prepare()

    @staticmethod
    def command(folder, num_keys, last, options):
        return ["db_bench", f"--db={folder}", f"--num={num_keys}", "--key_size=16",
                "--value_size=100", "--write_buffer_size=2097152",
                "--target_file_size_base=2097152", "--max_bytes_for_level_base=8388608",
                f"--benchmarks=filluniquerandom,{last}", *options]

    def databases(self):
        for title, options, layouts, features in self.VARIANTS:
            folder = self.where.folder("db_bench")

            last = "compact" if "compacted" in features else "flush"

            def command(path, options=options, last=last):
                return self.command(f"{path}/db", self.num_keys, last, options)
            owner = self.where.start(command, folder)
            yield database(title, folder / "db", "RocksDB", owner, layouts, self.num_keys, features)
            shutil.rmtree(folder, ignore_errors=True)


class RocksDBTree:
    """A source tree of RocksDB and a build of its librocksdb.so, as tests/versions takes them."""

    BASE = "block_based_table_factory="
    VARIANTS = [
        ("Bloom", "{filter_policy=bloomfilter:10}", [BLOOM], []),
        ("Ribbon", "{filter_policy=ribbonfilter:10:-1}", [RIBBON], []),
        ("partitioned", "{filter_policy=bloomfilter:10;partition_filters=true;"
         "index_type=kTwoLevelIndexSearch;metadata_block_size=1024}", [BLOOM], ["partitioned"]),
        ("prefixes", "{filter_policy=bloomfilter:10};prefix_extractor=rocksdb.FixedPrefix.12",
         [BLOOM], ["prefixes"]),
        ("no filter", "{}", [], []),
    ]

    def __init__(self, tree, build, num_keys):
        self.tree, self.build, self.num_keys = tree, build, num_keys
        self.program = None

    def prepare(self):
        if self.tree is None:
            raise Skip("no --tree")
        self.program = machine.WORK / "write_rocksdb"
        machine.output("c++", "-std=c++20", "-O1", "-I", self.tree / "include", "-I", PROJECT,
                       PROJECT / "tests/db_tool/writers/rocksdb.cc", "-o", self.program,
                       "-L", self.build, "-lrocksdb", f"-Wl,-rpath,{self.build}")
        text = (self.tree / "include/rocksdb/version.h").read_text()
        return ".".join(re.search(rf"define ROCKSDB_{part} (\d+)", text).group(1)
                        for part in ("MAJOR", "MINOR", "PATCH"))

    def databases(self):
        for number, (title, options, layouts, features) in enumerate(self.VARIANTS):
            folder = machine.WORK / f"tree.{number}"
            owner = Process([str(self.program), str(folder), str(self.num_keys),
                             self.BASE + options])
            yield database(title, folder, "RocksDB", owner, layouts, self.num_keys, features)
            shutil.rmtree(folder, ignore_errors=True)


class Preloaded:
    """db_bench and plyvel with the preload libraries: bloomline's filters."""

    def __init__(self, build, num_keys):
        self.build, self.num_keys = build, num_keys

    def prepare(self):
        for engine in "rocksdb", "leveldb":
            if not (self.build / f"libbloomline_{engine}_preload.so").exists():
                raise Skip(f"no preload libraries in {self.build}")
        return Host("rocksdb-tools", "python3-plyvel").prepare()

    def databases(self):
        for layout in "blocked", "compact":
            def settings(engine, layout=layout):
                return {**os.environ, "BLOOMLINE_FORMAT": layout, "LD_PRELOAD":
                        str(self.build / f"libbloomline_{engine}_preload.so")}
            folder = machine.WORK / f"preloaded.{layout}"
            owner = Process(DbBench.command(folder, self.num_keys, "compact", ["--bloom_bits=10"]),
                            env=settings("rocksdb"))
            yield database(f"db_bench, {layout}", folder, "RocksDB", owner,
                           [f"bloomline {layout}"], self.num_keys)
            folder = machine.WORK / f"preloaded.plyvel.{layout}"
            owner = Process(Plyvel.command(folder, self.num_keys), env=settings("leveldb"))
            # 36 keys in a filter: the layouts for small sets.
            yield database(f"plyvel, {layout}", folder, "LevelDB", owner,
                           ["bloomline flat" if layout == "blocked" else "bloomline small set"],
                           self.num_keys)


class Plyvel:
    def __init__(self, num_keys):
        self.num_keys = num_keys

    def prepare(self):
        return Host("python3-plyvel").prepare()

    @staticmethod
    def command(folder, num_keys):
        return ["/usr/bin/python3", str(PROJECT / "tests/client_programs/plyvel_client.py"),
                "write", str(folder), str(num_keys)]

    def databases(self):
        folder = machine.WORK / "plyvel"
        owner = Process(self.command(folder, self.num_keys))
        yield database("", folder, "LevelDB", owner, [CLASSIC], self.num_keys)


class ClassicLevel:
    def __init__(self, num_keys):
        self.num_keys = num_keys

    def prepare(self):
        if shutil.which("node") is None or shutil.which("npm") is None:
            raise Skip("no node and npm here")
        self.modules = cache() / "classic-level"
        package = self.modules / "node_modules/classic-level/package.json"
        if not package.exists():
            self.modules.mkdir(parents=True, exist_ok=True)
            try:
                # Without scripts: the package has the compiled module inside.
                machine.output("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund",
                               "classic-level@3", cwd=self.modules, timeout=120)
            except (OSError, TimeoutError) as error:
                raise Skip("npm cannot install classic-level") from error
        return json.loads(package.read_text())["version"]

    def databases(self):
        folder = machine.WORK / "classic_level"
        owner = Process(["node", str(PROJECT / "tests/client_programs/classic_level_client.js"),
                         "write", str(folder), str(self.num_keys),
                         str(self.modules / "node_modules")])
        yield database("", folder, "LevelDB", owner, [CLASSIC], self.num_keys)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Litecoind:
    BLOCKS = 400

    def prepare(self):
        return Host("litecoind").prepare()

    def databases(self):
        folder = machine.WORK / "litecoind"
        folder.mkdir()
        client = PROJECT / "tests/client_programs/litecoind_client.py"
        # Databases on disk come from the log when they are opened again.
        for run in 1, 2:
            port = free_port()
            daemon = Process(["litecoind", "-regtest", f"-datadir={folder}", f"-rpcport={port}",
                              "-listen=0", "-dnsseed=0", "-disablewallet", "-printtoconsole=0",
                              "-fallbackfee=0.001"], env={"HOME": str(folder), "PATH": "/usr/bin"})
            try:
                machine.output("/usr/bin/python3", client, "write", folder, port, self.BLOCKS)
                for name in ("chainstate", "blocks/index") if run == 2 else ():
                    yield database(f"{name}, running", folder / "regtest" / name, "LevelDB",
                                   None, [CLASSIC])
            finally:
                daemon.stop()
        for name in ("chainstate", "blocks/index"):
            yield database(name, folder / "regtest" / name, "LevelDB", None, [CLASSIC],
                           features=["count"])


class Oxigraph:
    """One of its column families has filters, but none in the last level, where `load` writes."""

    TRIPLES = 20000

    def __init__(self, where):
        self.where = where

    def prepare(self):
        return self.where.prepare()

    def databases(self):
        triples = "".join(
            f'<http://example.com/{i}> <http://example.com/p> "a value of {i} bytes" .\n'
            for i in range(self.TRIPLES))
        for step, text, arguments, layouts in (
                ("load", triples, "--file PATH/text.nt", []),
                ("update", "INSERT DATA {\n" + triples + "}", "--update-file PATH/text.nt",
                 [BLOOM])):
            folder = self.where.folder("oxigraph")
            (folder / "text.nt").write_text(text)

            def command(path, step=step, arguments=arguments):
                # The status is not looked at: Debian's oxigraph ends with an assertion in RocksDB.
                return ["sh", "-c", f"oxigraph {step} --location {path}/db "
                        + arguments.replace("PATH", path) + " || true"]
            owner = self.where.start(command, folder)
            yield database(step, folder / "db", "RocksDB", owner, layouts, features=["partly"])


class Script:
    """A script of writers/, in a chroot. Its first argument is a folder."""

    def __init__(self, name, where, *arguments):
        self.name, self.where, self.arguments = name, where, arguments

    def prepare(self):
        return self.where.prepare()

    def start(self, folder, *more):
        script = (PROJECT / "tests/db_tool/writers" / self.name).relative_to(PROJECT)
        return self.where.start(
            lambda path: ["bash", f"/source/{script}", path, *self.arguments, *more], folder)


class MyRocks(Script):
    """Tables of MariaDB. Before RocksDB 7.0: it can also write a filter for each data block."""

    ROWS = 50000

    def __init__(self):
        super().__init__("myrocks.sh", Chroot("bookworm", "mariadb-plugin-rocksdb",
                                              "mariadb-server"), self.ROWS)

    def databases(self):
        for title, old, layout in (("full", "false", LEGACY), ("by block", "true", CLASSIC)):
            folder = self.where.folder("myrocks")
            owner = self.start(folder, old)
            while owner.is_running() and not (folder / "written").exists():
                time.sleep(0.1)
            # Rows in the primary and in the secondary key, and what MyRocks has of its own.
            yield database(f"{title}, running", folder / "db", "RocksDB", None, [layout])
            (folder / "stop").touch()
            yield database(title, folder / "db", "RocksDB", owner, [layout])
            shutil.rmtree(folder, ignore_errors=True)


class Minetest(Script):
    def __init__(self):
        super().__init__("minetest.sh", Chroot("bookworm", "minetest-server"))

    def databases(self):
        folder = self.where.folder("minetest")
        yield database("map", folder / "map.db", "LevelDB", self.start(folder))


class Syncthing(Script):
    """Its database is goleveldb's, without filters."""

    def __init__(self, files):
        super().__init__("syncthing.sh", Chroot("bookworm", "syncthing"), files)

    def databases(self):
        folder = self.where.folder("syncthing")
        yield database("", folder / "home/index-v0.14.0.db", "LevelDB", self.start(folder))


class Ceph(Script):
    ENTRIES = 200

    def __init__(self):
        super().__init__("ceph.sh", Chroot("bookworm", "ceph-mon", "ceph-test"))

    def databases(self):
        for engine, layout, features in (("RocksDB", LEGACY, []), ("LevelDB", CLASSIC, ["count"])):
            folder = self.where.folder("ceph")
            owner = self.start(folder, engine.lower(), str(self.ENTRIES))
            owner.wait()
            yield database(engine, folder / "mon/store.db", engine, None, [layout],
                           features=features)


class Chromium(Script):
    """IndexedDB has a comparator and filters of its own, local storage has no filters."""

    def __init__(self):
        super().__init__("chromium.sh", Chroot("bookworm", "chromium"))

    def databases(self):
        folder = self.where.folder("chromium")
        owner = self.start(folder)
        profile = folder / "profile/Default"
        yield database("IndexedDB", profile / "IndexedDB/file__0.indexeddb.leveldb", "LevelDB",
                       owner, [CLASSIC])
        yield database("local storage", profile / "Local Storage/leveldb", "LevelDB")


class GoLevelDB:
    """goleveldb with its Bloom filter, which has LevelDB's first name and not its hash."""

    def __init__(self, num_keys):
        self.num_keys = num_keys
        self.where = Chroot("bookworm", "golang-github-syndtr-goleveldb-dev", "golang-go")

    def prepare(self):
        return self.where.prepare()

    def databases(self):
        folder = self.where.folder("goleveldb")
        owner = self.where.start(
            lambda path: ["env", "GO111MODULE=off", "GOPATH=/usr/share/gocode",
                          f"GOCACHE={path}/cache", "go", "run",
                          "/source/tests/db_tool/writers/goleveldb.go", f"{path}/db",
                          self.num_keys], folder)
        yield database("", folder / "db", "LevelDB", owner, [CLASSIC], self.num_keys)


def all_programs(quick, build, tree=None, tree_build=None):
    """By name. `build` has the preload libraries."""
    num_keys = 50000 if quick else 200000
    chosen = {
        "db_bench": DbBench(Host("rocksdb-tools"), num_keys),
        "preloaded": Preloaded(build, num_keys),
        "plyvel": Plyvel(num_keys),
        "classic_level": ClassicLevel(num_keys),
    }
    if quick:
        return chosen
    chosen.update({
        "db_bench_trixie": DbBench(Chroot("trixie", "rocksdb-tools"), num_keys),
        "db_bench_sid": DbBench(Chroot("sid", "rocksdb-tools"), num_keys),
        "rocksdb_tree": RocksDBTree(tree, tree_build, num_keys // 4),
        "litecoind": Litecoind(),
        "oxigraph": Oxigraph(Chroot("trixie", "oxigraph")),
        "myrocks": MyRocks(),
        "goleveldb": GoLevelDB(num_keys),
        "syncthing": Syncthing(20000),
        "minetest": Minetest(),
        "ceph": Ceph(),
        "chromium": Chromium(),
    })
    return chosen
