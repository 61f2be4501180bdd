"""What the tests of the preload libraries share: programs that know only their engine, run with and
without a library."""
import collections
import functools
import os
import re
import subprocess

import pytest

Ran = collections.namedtuple("Ran", "out err both")
# What a program asks for; what it says if it uses bloomline's filters, and if these exclude no key.
# A stock filter of LevelDB costs more than 100 reads for each 1000 missing keys here. Without a
# filter it is one for each, but for the last key, which lies behind all tables.
ROCKSDB = r"^wrong 0, policy bloomline, bits per key 10\.0, false positives per 1000 "
LEVELDB = "^wrong 0, reads per 1000 missing keys "
ENGINES = {"RocksDB": ("bloom:10", ROCKSDB + r"([6-9]\.[0-9]|1[0-3]\.[0-9])$", ROCKSDB + "1000.0$"),
           "LevelDB": ("10", LEVELDB + "1?[0-9]$", LEVELDB + "999$")}


class Preload:
    """The preload library of an engine, and a folder of databases for a file of tests. `settings`
    are words NAME=VALUE, without BLOOMLINE_; None: without the library."""
    def __init__(self, engine, build, work):
        self.engine, self.work = engine, work
        self.asked, self.found, self.unused = ENGINES[engine]
        # LD_PRELOAD ends a path at a space or a colon, so the paths of the checkout are not used.
        self.build, self.programs = work / "build", work / "programs"
        self.build.symlink_to(build)
        self.programs.symlink_to(build / "tests/engines/preload")
        self.name = f"preload_{engine.lower()}_client"
        self.path = self.programs / self.name  # of the client
        self.host = self.programs / "preload_host"
        self.library = self.build / f"libbloomline_{engine.lower()}_preload.so"
        self.own_in_new = f"and new files get its own {engine} filters$"

    @staticmethod
    def expect(text, pattern):
        __tracebackhide__ = True
        assert re.search(pattern, text, re.DOTALL), f"{text!r}\ndoes not match\n{pattern!r}"

    def program(self, name):
        """A module that a program opens."""
        return self.programs / f"libpreload_{name}.so"

    def run(self, settings, *command, status=0, **options):
        __tracebackhide__ = True
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("BLOOMLINE_")}
        if settings is not None:
            environment["LD_PRELOAD"] = str(self.library)
            for name, value in (setting.split("=", 1) for setting in settings.split()):
                environment[name if name[:3] in ("LD_", "TES") else "BLOOMLINE_" + name] = value
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, env=environment,
                              errors="backslashreplace", check=False, **options)
        assert done.returncode == status, f"{settings} {command}: {done.stdout}{done.stderr}"
        out, err = done.stdout.rstrip("\n"), done.stderr.rstrip("\n")
        return Ran(out, err, out + err)

    def client(self, settings, *arguments, **options):
        __tracebackhide__ = True
        return self.run(settings, self.path, *arguments, **options)

    def inspect(self, folder, *options):
        """What `bloomline db inspect --json` says of it."""
        out = self.run(None, self.build / "bloomline", "db", "inspect", "--json", *options,
                       folder).out
        self.expect(out, '"layout": ')
        return out

    def write(self, folder, settings, layout=None, expected=None, asked=None):
        """The client writes a database; each file has filters of this layout."""
        __tracebackhide__ = True
        self.expect(self.client(settings, "write", self.work / folder, asked or self.asked).both,
                    expected or self.found)
        return layout and self.inspect(self.work / folder, "--require", layout)

    def check(self, folder, settings, expected=None, asked=None):
        """The client reads it."""
        __tracebackhide__ = True
        self.expect(self.client(settings, "check", self.work / folder, asked or self.asked).both,
                    expected or self.found)

    @functools.cached_property
    def blocked(self):
        """A database with blocked filters."""
        self.write("blocked", "FORMAT=blocked", "blocked")
        return self.work / "blocked"

    def new_filters(self, settings):
        """The client writes a database, `new`, with the engine's own filters."""
        __tracebackhide__ = True
        self.run(None, "rm", "-rf", self.work / "new")
        self.client(settings, "write", self.work / "new", self.asked)
        out = self.inspect(self.work / "new")
        self.expect(out, f'"layout": "{self.engine} ')
        assert '"layout": "bloomline ' not in out
        return out

    def unusable(self, says, settings):
        """The client says once why it cannot use the library: the filters in `blocked` exclude no
        key, and it writes the engine's own."""
        __tracebackhide__ = True
        settings = "FORMAT=blocked " + settings
        ran = self.client(settings, "check", self.blocked, self.asked)
        self.expect(ran.err, f"^bloomline: {says}; {self.name} queries no existing filters of "
                    f"bloomline, {self.own_in_new}")
        self.expect(ran.out, self.unused)
        self.new_filters(settings)

    def check_library(self, library, needed, exports):
        """Which libraries it needs, and the names that it exports."""
        found = re.findall(r"\(NEEDED\).*\[(.*)\]", self.run(None, "readelf", "-d", library).out)
        # The dynamic linker is needed where thread-local variables are.
        assert sorted(name for name in found if name[:8] != "ld-linux") == sorted(needed.split())
        names = self.run(None, "nm", "-D", "--defined-only", library).out.splitlines()
        assert sorted(line.split()[2] for line in names) == sorted(exports.split())


@pytest.fixture(scope="module")
def lib(request, build, tmp_path_factory):
    """That of the file's engine, or of a parameter of the test."""
    engine = getattr(request, "param", None) or request.module.ENGINE
    if not (build / f"libbloomline_{engine.lower()}_preload.so").exists():
        pytest.skip(f"without {engine}")
    return Preload(engine, build, tmp_path_factory.mktemp("preload"))
