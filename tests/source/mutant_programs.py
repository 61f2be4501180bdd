"""Test programs with a mistake in one source file. Of a program, only the objects that the mistake
changes are compiled, with the commands of a whole build, and linked before the library that has
them. So a mistake takes seconds, and several of them can be tried at once."""
import collections
import fnmatch
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time

MEMORY_LIMIT = 6 << 30  # of a test, which may allocate any wrong length
# The addresses that a test may have, if not those of MEMORY_LIMIT. Most of them have no memory.
ADDRESS_LIMITS = {"past_4gib_test": 1 << 40}
# What says in a source file of tests that it reads files of the folder golden.
GOLDEN_FILES = b"BLOOMLINE_GOLDEN_DIR"
COMPILER_SECONDS = 120  # a mistake may make the compiler compute without end
# What the compiler and the linker print if they fail, but not because of a mistake.
MACHINE_FAILED = re.compile(r"No space left|Killed signal|out of memory|Cannot allocate memory")
FREE_BYTES = 1 << 30  # with less, tests fail without a mistake
SLOW_TESTS = "*_fpr_test rocksdb_*levels_test"  # of rates, with many keys
NO_CODE = "same machine code"
NOT_COMPILED = "does not compile"


class Wrong(Exception):
    """The command line is wrong, or a test fails without a mistake."""


class Programs:
    """The build without a mistake, in `folder`, of a copy of the source in `root`."""

    def __init__(self, root, folder, jobs):
        self.root, self.tree, self.base = root, folder / "tree", folder / "build"
        self.jobs = jobs
        self.seconds = {}  # how long a test takes without a mistake, when it has run
        self.locks = collections.defaultdict(threading.Lock)
        self.objects = {}  # of a test: its own, and those in libraries
        self.hashes = {}

    def source_files(self):
        """Names of all files but those that builds and benches write (.gitignore). Git is not
        asked: there may be none, and it refuses another user's checkout."""
        for folder, folders, files in os.walk(self.root):
            at_root = pathlib.Path(folder) == self.root
            folders[:] = [name for name in folders
                          if name not in (".git", "__pycache__", "results") and
                          not (at_root and name.startswith("build"))]
            for name in files:
                if name != ".git":
                    yield str((pathlib.Path(folder) / name).relative_to(self.root))

    def copy_tree(self):
        """Makes the copy equal to the source. Equal files keep their time, to rebuild little."""
        wanted = set(self.source_files())
        for path in [path for path in self.tree.rglob("*") if path.is_file() or path.is_symlink()]:
            if str(path.relative_to(self.tree)) not in wanted:
                path.unlink()
        for name in wanted:
            source, copy = self.root / name, self.tree / name
            if not copy.is_file() or copy.read_bytes() != source.read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, copy)

    def configure(self):
        """Returns the names of the test programs that are not slow."""
        ccache = shutil.which("ccache")
        command = ["cmake", "-S", str(self.tree), "-B", str(self.base), "-G", "Ninja",
                   "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1", "-DCMAKE_C_FLAGS=-O1",
                   "-DBLOOMLINE_BUILD_BENCH=OFF", "-DBLOOMLINE_LEVELDB=ON",
                   "-DBLOOMLINE_ROCKSDB=ON", "-DBLOOMLINE_REDIS=ON",
                   "-DBLOOMLINE_PRECOMPILED_HEADERS=ON",
                   # Otherwise a fault that crashes a test at its start would break the build.
                   "-DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST"]
        if ccache:
            command += [f"-DCMAKE_CXX_COMPILER_LAUNCHER={ccache}",
                        f"-DCMAKE_C_COMPILER_LAUNCHER={ccache}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Wrong(done.stdout + done.stderr)
        names = re.findall(r"^tests/(\w+_test): CXX?_EXECUTABLE_LINKER",
                           self.ninja("-t", "targets", "all"), re.MULTILINE)
        return [name for name in names
                if not any(fnmatch.fnmatch(name, slow) for slow in SLOW_TESTS.split())]

    def ninja(self, *arguments):
        done = subprocess.run(["ninja", "-C", str(self.base), "--quiet", *arguments],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise Wrong(done.stdout + done.stderr)
        return done.stdout

    def build(self, tests):
        """Builds the tests without a mistake, and learns what they are made of."""
        servers = ["with_redis_server"] if "c_redis_test" in tests else []
        self.ninja(f"-j{self.jobs}", *tests, *servers)
        self.commands = {}
        outputs = re.findall(r'"command": "(.*)",\n.*\n    "output": "(.*)"',
                             self.ninja("-t", "compdb"))
        for command, output in outputs:
            self.commands[output] = re.sub(r'\\(["\\])', r"\1", command)
        self.includes = {}  # the files of the tree that an object is compiled from
        name = None
        for line in self.ninja("-t", "deps").splitlines():
            if line.startswith(f"    {self.tree}/"):
                self.includes[name].add(line[len(f"    {self.tree}/"):])
            elif line and line[0] != " ":
                name = line.split(":")[0]
                self.includes[name] = set()
        for test in tests:
            self.objects[test] = self.linked_objects(test)

    def link_command(self, test):
        parts = self.commands[f"tests/{test}"].split(" && ")
        return shlex.split(next(part for part in parts if " -o " in part))

    def linked_objects(self, test):
        command = self.link_command(test)
        own = [word for word in command if word.endswith(".o")]
        with tempfile.TemporaryDirectory() as directory:
            command[command.index("-o") + 1] = f"{directory}/program"
            subprocess.run([*command, f"-Wl,-Map={directory}/map"], check=True, cwd=self.base)
            text = pathlib.Path(directory, "map").read_text()
        members = set(re.findall(r"^(\S+\.a)\((\S+)\)", text, re.MULTILINE))
        for archive in {archive for archive, _ in members} & set(self.commands):
            own += [name for name in self.commands[archive].split()
                    if name.endswith(".o") and (archive, os.path.basename(name)) in members]
        return own

    def sources_hash(self, tests):
        """Of all that `tests` are compiled from in the folder tests, and that they read there."""
        key = tuple(sorted(tests))
        if key not in self.hashes:
            self.hashes[key] = self.new_sources_hash(tests)
        return self.hashes[key]

    def new_sources_hash(self, tests):
        names = {name for test in tests for item in self.objects[test]
                 for name in self.includes.get(item, ()) if name.startswith("tests/")}
        golden = self.tree / "tests/golden"
        if any(GOLDEN_FILES in (self.tree / name).read_bytes() for name in names):
            names |= {str(path.relative_to(self.tree)) for path in golden.rglob("*")
                      if path.is_file()}
        result = hashlib.sha256()
        for name in sorted(names):
            result.update(name.encode() + (self.tree / name).read_bytes())
        return result.hexdigest()[:16]

    def seconds_of(self, test):
        """How long a test takes without a mistake, linked as tests with a mistake are."""
        with self.locks[test]:
            if test not in self.seconds:
                with tempfile.TemporaryDirectory() as directory:
                    work = Work(self, pathlib.Path(directory))
                    start = time.monotonic()
                    if not work.link(test, {}):
                        raise Wrong(f"{test} without a mistake: cannot be linked")
                    ended, output = work.run(test, 100)
                    if ended:
                        raise Wrong(f"{test} without a mistake: {ended}\n{output}")
                    self.seconds[test] = time.monotonic() - start
        return self.seconds[test]


def output_within(process, seconds):
    """Why the process was killed, or ''; and its output."""
    why, until = "", time.monotonic() + seconds
    while True:
        try:
            return why, process.communicate(timeout=0.2)[0]
        except subprocess.TimeoutExpired:
            if resident_bytes(process.pid) > MEMORY_LIMIT:
                why = "too much memory"
            elif time.monotonic() > until:
                why = "hang"
            if why:
                os.killpg(process.pid, signal.SIGKILL)


def resident_bytes(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf(
            "SC_PAGE_SIZE")
    except OSError:
        return 0  # it has ended


class Work:
    """One mistake, in an empty folder of its own."""

    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder

    def fate(self, mutant, tests):
        """What noticed the mistake: a test and how it ended, NO_CODE, NOT_COMPILED, or '' if
        nothing did. `tests` are run in this order."""
        if shutil.disk_usage(self.folder).free < FREE_BYTES:
            raise Wrong(f"{self.folder} has less than {FREE_BYTES >> 30} GiB of free space")
        overlay = self.folder / "changed" / mutant.file
        overlay.parent.mkdir(parents=True, exist_ok=True)
        lines = (self.programs.tree / mutant.file).read_text().splitlines(keepends=True)
        lines[mutant.line - 1] = mutant.new + "\n"
        overlay.write_text("".join(lines))
        return self.fate_with(mutant.file, tests)

    def fate_with(self, file, tests):
        compiled = {}
        for test in tests:
            for name in self.programs.objects[test]:
                if name not in compiled and file in self.programs.includes.get(name, ()):
                    compiled[name] = self.compile(name, file, len(compiled))
                    if compiled[name] is None:
                        return NOT_COMPILED
            changed = {name: path for name, path in compiled.items()
                       if path and name in self.programs.objects[test]}
            if changed:
                if not self.link(test, changed):
                    return NOT_COMPILED
                ended, _ = self.run(test, self.programs.seconds_of(test))
                if ended:
                    return f"{test}: {ended}"
        return NO_CODE if compiled and not any(compiled.values()) else ""

    def compile(self, name, file, number):
        """The path of the object with the mistake, '' if it is as without, None if it fails."""
        changed, tree = self.folder / "changed", self.programs.tree
        result = str(self.folder / f"{number}.o")
        words = shlex.split(self.programs.commands[name])
        for option in ("-MT", "-MF"):
            if option in words:
                del words[words.index(option):words.index(option) + 2]
        words = [str(changed / file) if word == str(tree / file) else word
                 for word in words if word != "-MD"]
        words[words.index("-o") + 1] = result
        # Before the folders of the build. Assertions have the names of files.
        words += ["-w", "-iquote", str(changed), f"-fmacro-prefix-map={changed}={tree}"]
        if not self.succeeds(words):
            return None
        base = self.programs.base / name
        return "" if pathlib.Path(result).read_bytes() == base.read_bytes() else result

    def link(self, test, changed):
        words = self.programs.link_command(test)
        words[words.index("-o") + 1] = str(self.folder / test)
        first = next(i for i, word in enumerate(words) if word.endswith(".o"))
        in_libraries = [path for name, path in changed.items() if name not in words]
        words = [changed.get(word, word) for word in words]
        return self.succeeds(words[:first] + in_libraries + words[first:])

    def succeeds(self, command):
        limit = ["prlimit", f"--cpu={COMPILER_SECONDS}:{COMPILER_SECONDS + 5}"]
        done = subprocess.run(limit + command, cwd=self.programs.base, capture_output=True,
                              text=True, errors="replace")
        if done.returncode != 0 and MACHINE_FAILED.search(done.stderr):
            raise Wrong(done.stderr)
        return done.returncode == 0

    def command_of(self, test, directory):
        program = str(self.folder / test)
        if test == "c_redis_test":
            return [str(self.programs.base / "tests/with_redis_server"), program, directory]
        if (self.programs.tree / f"tests/bindings/{test}.c").is_file():
            return [program, directory]
        return [program, "--gtest_brief=1", "--gtest_fail_fast"]

    def run(self, test, usual_seconds):
        """Two strings: how the test failed, '' if it passed; its output."""
        seconds = int(5 + 5 * usual_seconds)  # of processor time, as the machine may be busy
        limits = ["setpriv", "--pdeathsig=KILL", "prlimit", "--core=0",
                  f"--as={ADDRESS_LIMITS.get(test, MEMORY_LIMIT)}",
                  f"--cpu={seconds}:{seconds + 5}"]
        with tempfile.TemporaryDirectory() as directory:
            process = subprocess.Popen(limits + self.command_of(test, directory),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, cwd=directory,
                                       env={**os.environ, "TMPDIR": directory},
                                       start_new_session=True)
            try:
                why, output = output_within(process, 120 + 40 * usual_seconds)
            finally:
                try:  # servers that a failed test left behind
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        output = output.decode(errors="replace")
        if why or process.returncode == 0:
            return why, output
        if process.returncode == -signal.SIGXCPU:
            return "hang", output
        return "crash" if process.returncode < 0 else "failure", output
