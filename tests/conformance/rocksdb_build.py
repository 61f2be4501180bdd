"""Builds RocksDB's own tests against a RocksDB: the installed one, or that of a source tree."""
import hashlib
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PACKAGES = ["cmake", "g++", "ninja-build", "libgtest-dev", "libgflags-dev", "libxxhash-dev",
            "librocksdb-dev", "liblz4-dev", "libzstd-dev", "libsnappy-dev", "zlib1g-dev",
            "libbz2-dev"]


def fail(message, status=2):
    print("%s: %s" % (os.path.relpath(sys.argv[0], ROOT), message), file=sys.stderr)
    sys.exit(status)


def parse(parser, help_text):
    """The arguments of a script, with those that say which RocksDB."""
    if set(sys.argv[1:]) & {"-h", "--help"}:
        print(help_text.strip())
        sys.exit(0)
    parser.error = lambda message: fail(message + "; see --help")
    for name in ("--built", "--tree", "--build"):
        parser.add_argument(name)
    options = parser.parse_args()
    if (options.tree is None) != (options.build is None):
        fail("--tree and --build go together")
    if options.built is not None:
        if options.tree is not None:
            fail("--built goes with the installed version; --tree is not allowed")
        if not os.path.exists(options.built + "/libbloomline_rocksdb.a"):
            fail("--built is %s, which has no libbloomline_rocksdb.a" % options.built)
    return options


def memory_folder():
    """A folder in memory, where databases that sync each write are five times as fast, or None."""
    if "TMPDIR" in os.environ or not os.access("/dev/shm", os.W_OK):
        return None
    memory = os.statvfs("/dev/shm")
    return "/dev/shm" if memory.f_bavail * memory.f_frsize >= 4 << 30 else None


def version_of(source):
    with open(os.path.join(source, "include/rocksdb/version.h")) as header:
        text = header.read()
    return tuple(int(re.search(r"define ROCKSDB_%s (\d+)" % part, text).group(1))
                 for part in ("MAJOR", "MINOR", "PATCH"))


def prepare(options):
    """Returns RocksDB's source folder and the library to link (None: the installed one)."""
    if options.tree is not None:
        source = os.path.abspath(options.tree)
        library = os.path.join(os.path.abspath(options.build), "librocksdb.so")
        for path in (os.path.join(source, "include/rocksdb/version.h"), library):
            if not os.path.exists(path):
                fail("there is no " + path)
        packages = [name for name in PACKAGES if name != "librocksdb-dev"]
    else:
        packages, source, library = PACKAGES, None, None
    subprocess.run([ROOT + "/cmake/install_packages.sh", *packages], check=True)
    if source is None:
        fetched = subprocess.run([ROOT + "/cmake/fetch_source.sh", "librocksdb-dev"],
                                 stdout=subprocess.PIPE, text=True)
        if fetched.returncode != 0:
            fail("RocksDB's source package cannot be had", 77)
        source = fetched.stdout.strip()
    return source, library


def build_folder(source, library):
    """Returns a folder outside of the checkout, where a second run finds everything done."""
    cache = subprocess.run([ROOT + "/cmake/own_folder.sh"], stdout=subprocess.PIPE, text=True)
    if cache.returncode != 0:  # it has said why
        sys.exit(cache.returncode)
    # CMake refuses a build folder of another checkout.
    paths = "\n".join((ROOT, source, library or ""))
    name = "rocksdb-%d.%d.%d-%s" % (*version_of(source),
                                    hashlib.sha256(paths.encode()).hexdigest()[:12])
    folder = os.path.join(cache.stdout.strip(), "conformance", name)
    os.makedirs(folder, exist_ok=True)
    return folder


def build(source, library, built, targets, *definitions):
    """Builds targets of rocksdb_suites. Returns their folder."""
    folder = build_folder(source, library)
    command = ["cmake", "-G", "Ninja", "-S", HERE + "/rocksdb_suites", "-B", folder,
               "-DROCKSDB_SOURCE=" + source, "-DROCKSDB_LIBRARY=" + (library or ""),
               "-DBLOOMLINE_BUILT=" + (os.path.abspath(built) if built else ""),
               # RocksDB's headers need C++20 from 10.7. RocksDB's assertions stay on.
               "-DROCKSDB_CXX=" + ("20" if version_of(source) >= (10, 7) else "17"),
               "-DCMAKE_CXX_FLAGS=-O1", "-DCMAKE_BUILD_TYPE=", *definitions]
    log = os.path.join(folder, "build.log")
    with open(log, "w") as out:
        for step in (command, ["cmake", "--build", folder, "--target", *targets]):
            if subprocess.run(step, stdout=out, stderr=subprocess.STDOUT).returncode != 0:
                with open(log) as text:
                    print(text.read()[-4000:], file=sys.stderr)
                fail("%s: no build; all of it is in %s" % (" ".join(targets), log), 1)
    return folder
