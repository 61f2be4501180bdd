"""Conan 2 recipe. It packs the tree that it lies in: conan create packaging/conan"""
import os
import re

from conan import ConanFile
from conan.tools.build import stdcpp_library
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

ROOT = os.path.join("..", "..")


class BloomlineConan(ConanFile):
    name = "bloomline"
    description = "Filters for LevelDB-style key-value stores"
    license = "Apache-2.0"
    topics = ("bloom-filter", "leveldb", "rocksdb")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "with_leveldb": [True, False],
        "with_rocksdb": [True, False],
        "with_redis": [True, False],
    }
    default_options = {
        "shared": False,
        "with_leveldb": True,
        "with_rocksdb": True,
        "with_redis": False,
    }

    def set_version(self):
        header = os.path.join(self.recipe_folder, ROOT, "include", "bloomline", "version.h")
        self.version = re.search(r'VERSION_STRING "(.*)"', load(self, header)).group(1)

    def export_sources(self):
        root = os.path.join(self.recipe_folder, ROOT)
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md",
                        "cmake/*", "docs/*", "include/*", "packaging/prometheus/*", "src/*"):
            copy(self, pattern, src=root, dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("xxhash/[>=0.8.0 <1]", visible=False)
        # Their headers are in ours, and programs call them.
        used = {"transitive_headers": True, "transitive_libs": True}
        if self.options.with_leveldb:
            self.requires("leveldb/[>=1.23 <2]", **used)
        if self.options.with_rocksdb:
            self.requires("rocksdb/[>=7.0.3]", **used)
        if self.options.with_redis:
            self.requires("hiredis/[>=0.14 <2]")

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["BLOOMLINE_LEVELDB"] = bool(self.options.with_leveldb)
        toolchain.cache_variables["BLOOMLINE_ROCKSDB"] = bool(self.options.with_rocksdb)
        toolchain.cache_variables["BLOOMLINE_REDIS"] = bool(self.options.with_redis)
        for name in ("TESTS", "BENCH", "PRELOAD", "PYTHON", "TOOL"):
            toolchain.cache_variables[f"BLOOMLINE_BUILD_{name}"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder,
             dst=os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "bloomline")
        needed = {"core": [], "filters": ["core"], "c": ["filters", "core"]}
        if self.options.with_leveldb:
            needed["leveldb"] = ["core", "leveldb::leveldb"]
        if self.options.with_rocksdb:
            needed["rocksdb"] = ["core", "rocksdb::rocksdb"]
        if self.options.with_redis:
            needed["redis"] = ["core", "hiredis::hiredis"]
        for name, requires in needed.items():
            component = self.cpp_info.components[name]
            component.libs = [f"bloomline_{name}"]
            component.requires = requires
            component.set_property("cmake_target_name", f"bloomline::{name}")
            component.set_property("pkg_config_name", f"bloomline_{name}")
        core = self.cpp_info.components["core"]
        core.system_libs = ["pthread", "m"]
        library = stdcpp_library(self)
        if library and not self.options.shared:  # a C compiler does not link it by itself
            core.system_libs.append(library)
