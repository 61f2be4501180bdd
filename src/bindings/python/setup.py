"""Compiles the library of an sdist, and tags the wheel: any Python 3, one system.

An sdist has bloomline's sources in the folder `filters`. packaging/wheel puts libraries that CMake
built beside the modules instead, and names the system in BLOOMLINE_WHEEL_PLATFORM.
"""

import os
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

# As filters/README.md says. They come after the environment's flags, which thus cannot take the
# optimization away.
FLAGS = ["-std=c++17", "-O3", "-DNDEBUG", "-falign-functions=64", "-Iinclude", "-I.", "-fPIC",
         "-fvisibility=hidden"]


def words(variable):
    return shlex.split(os.environ.get(variable, ""))


def run(*command):
    if subprocess.run(command, cwd="filters", check=False).returncode:
        sys.exit("bloomline: this command failed: " + shlex.join(command))


def compile_library(folder, library):
    cxx = words("CXX") or [name for name in ("g++", "clang++") if shutil.which(name)][:1]
    if not cxx:
        sys.exit("bloomline: there is no g++ and no clang++; install one, or set CXX")
    command = [*cxx, *words("CPPFLAGS"), *words("CXXFLAGS"), *FLAGS]
    sources = sorted(str(path.relative_to("filters")) for path in Path("filters").rglob("*.cc"))
    objects = [str(folder / f"{number}.o") for number in range(len(sources))]
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        list(threads.map(lambda *pair: run(*command, "-c", pair[0], "-o", pair[1]),
                         sources, objects))
    run(*command, "-shared", "-pthread", "-s", *objects, *words("LDFLAGS"),
        "-Wl,--version-script=../exports.map", "-Wl,-z,defs", "-o", str(library))


class BuildLibrary(build_py):
    def run(self):
        super().run()
        if Path("filters").exists():
            build = self.get_finalized_command("build")
            compile_library(Path(build.build_temp).resolve(),
                            Path(self.build_lib, "bloomline/libbloomline_c.so").resolve())


class LibraryWheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", os.environ.get("BLOOMLINE_WHEEL_PLATFORM") or super().get_tag()[2]


Distribution.has_ext_modules = lambda self: True  # the package is for one system
setup(license="Apache-2.0 AND BSD-2-Clause AND BSD-3-Clause",
      cmdclass={"bdist_wheel": LibraryWheel, "build_py": BuildLibrary})
