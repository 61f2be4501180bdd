"""The wheel's tags: any Python 3, one system. BLOOMLINE_WHEEL_PLATFORM names it (build_wheel)."""

import os

from setuptools import Distribution, setup

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True  # the package is for one system


class LibraryWheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", os.environ["BLOOMLINE_WHEEL_PLATFORM"]


setup(distclass=WithLibrary, cmdclass={"bdist_wheel": LibraryWheel})
