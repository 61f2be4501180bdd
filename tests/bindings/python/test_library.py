"""The shared library: its functions, how it is found, and what is said if it does not fit."""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import bloomline
from bloomline import _library, _prototypes

PROJECT = pathlib.Path(__file__).parents[3]
PACKAGE = pathlib.Path(bloomline.__file__).parent

def run(code, **environment):
    """The outcome of a new interpreter, which has this package."""
    values = {key: value for key, value in os.environ.items() if key != "BLOOMLINE_LIBRARY"}
    values.update(PYTHONPATH=str(PACKAGE.parent), PYTHONDONTWRITEBYTECODE="1", **environment)
    return subprocess.run([sys.executable, "-c", code], env=values, capture_output=True, text=True,
                          check=False)


class PrototypesTest(unittest.TestCase):
    def test_a_header_that_is_none_is_refused(self):
        """As where a tool wrote the target's name in the place of a link."""
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder) / "bloomline"
            shutil.copytree(PACKAGE, package)
            (package / "c.h").write_text("../../../../include/bloomline/c.h")
            done = subprocess.run([sys.executable, "-c", "import bloomline; bloomline.version()"],
                                  env={**os.environ, "PYTHONPATH": folder}, capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("c.h of the package is not the library's header", done.stderr)

    def test_has_every_function_of_the_headers(self):
        for header, least in (("c.h", 150), ("c_redis.h", 40)):
            text = (PROJECT / "include/bloomline" / header).read_text()
            functions = _prototypes.prototypes(header)
            self.assertEqual(len(functions), len(re.findall(r"\bbloomline_\w+\(", text)))
            self.assertGreater(len(functions), least)


class LibraryTest(unittest.TestCase):
    def test_version_is_the_project_s(self):
        header = (PROJECT / "include/bloomline/version.h").read_text()
        version = re.search(r'VERSION_STRING "(.*)"', header)[1]
        self.assertEqual(bloomline.__version__, version)
        self.assertEqual(bloomline.library_version(), version)

    def test_which_versions_fit(self):
        for version, soversion in (("0.1.0", "0.1"), ("0.12.7", "0.12"), ("1.2.0", "1")):
            self.assertEqual(_library._soversion(version), soversion)

    def test_is_found_by_file_and_by_folder(self):
        file = pathlib.Path(_library.lib._name)
        for place in (file, file.parent):
            result = run("import bloomline; print(bloomline.BloomFilter(10).capacity)",
                         BLOOMLINE_LIBRARY=str(place))
            self.assertEqual((result.stdout, result.stderr), ("10\n", ""))

    @unittest.skipIf((PACKAGE / "libbloomline_c.so").exists(), "a wheel has its own library")
    def test_is_found_by_the_dynamic_linker(self):
        major, minor = bloomline.__version__.split(".")[:2]
        names = [f"libbloomline_c.so.{major}.{minor}", "libbloomline_c.so"]
        # One may be installed on this machine, so nothing here depends on what the linker lacks.
        with mock.patch.dict(os.environ), \
                mock.patch.object(ctypes, "CDLL", side_effect=OSError) as load:
            os.environ.pop("BLOOMLINE_LIBRARY", None)
            self.assertRaises(ImportError, _library._open, "c")
        self.assertEqual([call.args[0] for call in load.call_args_list], names)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(_library.lib._name, os.path.join(folder, names[0]))
            result = run(f"import bloomline; print({folder!r} in open('/proc/self/maps').read())",
                         LD_LIBRARY_PATH=folder)
            self.assertEqual((result.stdout, result.stderr), ("True\n", ""))

    def test_says_what_is_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            for place, sentence in [
                    (folder, r"libbloomline_c was not found.*the package libbloomline\d.*"
                     "set BLOOMLINE_LIBRARY.*Tried: .*" + re.escape(folder)),
                    (os.path.join(folder, "nothing.so"), "not found.*Tried: .*nothing.so"),
                    ("libm.so.6", "libm.so.6 is not bloomline's C library"),
            ]:
                result = run("import bloomline", BLOOMLINE_LIBRARY=place)
                self.assertRegex(result.stderr.replace("\n", " "), "ImportError: .*" + sentence)

    @unittest.skipIf(shutil.which("cc") is None, "there is no C compiler here")
    def test_refuses_other_versions_and_missing_functions(self):
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, "libbloomline_c.so")
            for version, sentence in [
                    ("0.0.9", "is version 0.0.9, which does not fit this package, version"),
                    (bloomline.__version__, "has no function bloomline_"),
            ]:
                subprocess.run(["cc", "-shared", "-x", "c", "-", "-o", library], check=True,
                               text=True, input="const char* bloomline_version(void) "
                               f'{{ return "{version}"; }}\n')
                result = run("import bloomline", BLOOMLINE_LIBRARY=folder)
                self.assertIn("ImportError: bloomline: " + library, result.stderr)
                self.assertIn(sentence, result.stderr)
