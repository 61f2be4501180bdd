"""docs/python.md and the package's README: their programs run."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest

from bloomline import _library

GUIDE = (pathlib.Path(__file__).parents[3] / "docs/python.md").read_text(encoding="utf-8")

README = (pathlib.Path(__file__).parents[3] / "src/bindings/python/README.md").read_text()

# The preload library of the same build.
PRELOAD = (pathlib.Path(_library.lib._name).resolve().parents[1]
           / "libbloomline_leveldb_preload.so")


class GuideTest(unittest.TestCase):
    def test_programs_run(self):
        blocks = re.findall(r"^```python\n(.*?)^```$", GUIDE + README, re.MULTILINE | re.DOTALL)
        self.assertGreaterEqual(len(blocks), 5)
        values = {}
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for block in blocks:
                    exec(compile(block, "docs/python.md", "exec"), values)
            finally:
                os.chdir(before)

    @unittest.skipUnless(PRELOAD.exists(), f"there is no {PRELOAD}")
    @unittest.skipIf(importlib.util.find_spec("plyvel") is None, "there is no plyvel here")
    def test_command_with_plyvel(self):
        command, output = re.search(
            r'^    \$ export LD_PRELOAD=\S*.so (.*?"\n)    (bloomline: LevelDB filters of )', GUIDE,
            re.M | re.S).groups()
        self.assertIn("plyvel.DB(", command)
        command = "export " + textwrap.dedent("    " + command.replace("    $ ", "    "))
        command = command.replace("/usr/bin/python3", sys.executable)
        with tempfile.TemporaryDirectory() as folder:
            # A link, because LD_PRELOAD ends a path at a space or a colon.
            link = os.path.join(folder, PRELOAD.name)
            os.symlink(PRELOAD, link)
            result = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True,
                                    text=True, check=False,
                                    env=dict(os.environ, LD_PRELOAD=link))
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(output, result.stderr)
            self.assertIn("compact, 8 bits per key", result.stderr)
