"""RocksDB that bloomline was not compiled for: programs use the policy library of its version."""
import re

import pytest

ENGINE = "RocksDB"
VERSIONS = "src/engines/rocksdb/builder/tested_versions.h"
MISSING = (r"cannot open .*: No such file.* \(in bloomline.s source, packaging/policy_for"
           "( --no-rtti)? HEADERS builds")


class Other:
    """To the library `loaded` the installed RocksDB is a program's own, of this version."""
    def __init__(self, lib, project):
        self.loaded = f"LD_PRELOAD={lib.program('for_other_rocksdb')}"
        said = lib.client(self.loaded, "threads").both
        self.version = re.search(r" RocksDB ([0-9.]+) is ", said)[1]
        self.minor = self.version.rpartition(".")[0]
        # The policy library is named after the interface: 9.6 for 9.10. A RocksDB that is not in
        # the table, as a newer one, has none.
        major, minor = map(int, self.minor.split("."))
        row = re.search(rf"^ *\{{{major}{minor:02}, (\d+)(\d\d), \"",
                        (project / VERSIONS).read_text(), re.M)
        self.interface = row and f"{row[1]}.{int(row[2])}"
        self.name = f"libbloomline_rocksdb_preload_policy-{self.interface or self.minor}"
        self.contents = lib.program("policy_for_program").read_bytes()
        self.folder = lib.work / "policies"
        self.folder.mkdir()
        for end in ".so", "-no-rtti.so":
            (self.folder / (self.name + end)).write_bytes(self.contents)
        self.settings = f"{self.loaded} POLICY_DIR={self.folder} FORMAT=blocked"


@pytest.fixture(scope="module")
def project(request):
    return request.config.rootpath.parent


@pytest.fixture(scope="module")
def other(lib, project):
    """With the database `in_program` of a program with a RocksDB of its own."""
    made = Other(lib, project)
    said = lib.client(made.settings, "write", lib.work / "in_program", "bloom:10").both
    if not made.interface:
        lib.expect(said, f": RocksDB {made.minor} was not tested with bloomline; ")
        pytest.skip(f"RocksDB {made.minor} was not tested with bloomline")
    lib.expect(said, lib.found)
    return made


def test_policies_of_the_version(lib, other):
    late = lib.host, lib.program("rocksdb_module")
    lib.expect(lib.run(other.settings, *late, "check", lib.work / "in_program",
                       "ribbon:10").both, lib.found)
    lib.check("in_program", None, lib.unused)
    assert lib.run(other.settings, *late, "threads").both == "wrong 0, child 0"
    lib.check("in_program", other.settings, asked="bloomline:10")  # by name


def test_a_policy_library_that_is_named_after_the_minor_version(lib, other, tmp_path):
    """As before bloomline 0.3."""
    (tmp_path / f"libbloomline_rocksdb_preload_policy-{other.minor}.so").write_bytes(other.contents)
    lib.check("in_program", f"{other.settings} POLICY_DIR={tmp_path}")


@pytest.mark.parametrize("layout", ["blocked", "ribbon", "bloom"])
@pytest.mark.parametrize("is_own", [True, False])
def test_an_operator_new_of_the_program(lib, other, tmp_path, is_own, layout):
    """This RocksDB asks for no size of its blocks."""
    loaded = f"LD_PRELOAD={lib.library}" if is_own else other.loaded
    lib.write(tmp_path / "db",
              f"{other.settings} {loaded}:{lib.program('own_new')} FORMAT={layout}",
              layout, "^wrong 0, policy bloomfilter, .*", "block_based_table_factory={"
              "optimize_filters_for_memory=true;filter_policy=bloomfilter:10}")


# The module says which version it has. That of another interface has no library.
@pytest.mark.parametrize("module, has, says, setting", [
    ("versioned", "ABSENT.1",
     "RocksDB ABSENT.1 is in MODULE: POLICIES/.*-INTERFACE-no-rtti.so: " + MISSING +
     r" this library of bloomline [0-9.]+ from RocksDB ABSENT\)", ""),
    ("versioned", "VERSION",
     r"RocksDB VERSION is in .*: undefined symbol: .* \(in .* packaging/policy_for "
     "--no-rtti .*", ""),
    ("versioned", "VERSION", ".*: BLOOMLINE_POLICY_DIR is not an absolute path",
     "POLICY_DIR=./policies"),
    ("versioned", "9.x.1", ".* but RocksDB is in MODULE: its version is odd", ""),
    ("versioned", "9.9", ".*: its version is odd", ""),
    ("versioned", "6.29.5", ".*: RocksDB 6.29.5 is older than 7.0.3", ""),
    ("versioned", "7.0.2", ".*: RocksDB 7.0.2 is older than 7.0.3", ""),
    ("versioned", "8.106.1", ".*: its version is odd: 8.106.1", ""),
    ("versioned", "11.99.1",
     ".*: RocksDB 11.99 was not tested with bloomline; the newest tested one is "
     "[0-9.]+", ""),
    ("versioned", "VERSION", ".*: another RocksDB is in the same process", "BESIDE"),
    # With the std::string before GCC 5.
    ("old_string", "9.9.1", "RocksDB 9.9.1 is in MODULE: POLICIES/.*-9.6-old-string-no-rtti.so: " +
     MISSING.replace("( --no-rtti)?", " --old-string --no-rtti") + r" .* RocksDB 9.9\)", ""),
    ("old_string", "9.x.1", ".* but RocksDB is in MODULE: its version is odd", ""),
    ("old_string", "1234567.1234567.1", ".*: its version is odd", "")])
def test_what_cannot_be_used_is_named_with_its_reason(lib, other, module, has, says, setting):
    module = lib.program(module + "_module")
    absent, interface = ("8.9", "8.7") if other.interface == "9.6" else ("9.9", "9.6")
    for name, value in (("ABSENT", absent), ("INTERFACE", interface), ("VERSION", other.version),
                        ("MODULE", module), ("POLICIES", other.folder)):
        has, says = has.replace(name, str(value)), says.replace(name, str(value))
    setting = setting.replace("BESIDE", f"{other.loaded}:{lib.program('other_rocksdb')}")
    ran = lib.run(f"{other.settings} TEST_ROCKSDB_VERSION={has} {setting}", lib.host, module)
    lib.expect(f"{ran.out} {ran.err}", f"^own bloomline: {says}; preload_host queries no existing "
               f"filters of bloomline, {lib.own_in_new}")


def test_a_stale_policy_library(lib, other, tmp_path):
    """It stays open, and with it the RocksDB that it was opened for. Another RocksDB must not get
    policies of that one."""
    changed = other.contents.replace(b"_preload_policy_version", b"_preload_policy_versioX")
    (tmp_path / f"{other.name}-no-rtti.so").write_bytes(other.contents)
    (tmp_path / f"{other.name}.so").write_bytes(changed)
    ran = lib.run(f"{other.settings} POLICY_DIR={tmp_path} TEST_ROCKSDB_VERSION={other.version}",
                  lib.host, lib.program("versioned_module"), lib.program("early_rocksdb"))
    lib.expect(f"{ran.out} {ran.err}", rf"^own bloomline: .*{tmp_path}/.*\.so ")


def test_without_a_policy_library(lib, other):
    lib.unusable(rf"RocksDB {other.version} is in .*librocksdb.*: .*/programs/lib.*-[0-9.]+.*\.so: "
                 f"{MISSING} .*", other.loaded)


def test_two_copies(lib, other):
    module = lib.program("versioned_module")
    ran = lib.run(f"TEST_ROCKSDB_VERSION={other.version}", lib.host, module,
                  lib.program("early_rocksdb"))
    lib.expect(f"{ran.out} {ran.err}",
               f"^own bloomline: RocksDB is in {module} and .*librocksdb.* of "
               "one process, and only the latter gets other filters; ")


@pytest.mark.parametrize("version", ["", "#define ROCKSDB_MAJOR 6\n#define ROCKSDB_MINOR 29\n"])
def test_policy_for_refuses_headers(lib, project, tmp_path, version):
    """Those that are missing, and those of a version that is too old."""
    if version:
        (tmp_path / "include/rocksdb").mkdir(parents=True)
        (tmp_path / "include/rocksdb/version.h").write_text(version)
    lib.run(None, project / "packaging/policy_for", tmp_path, tmp_path, status=2)


@pytest.mark.parametrize("says, beside", [
    (r"compiled for RocksDB .* but running with 99\.9.*", "other_rocksdb"),
    ("RocksDB's struct FilterBuildingContext is another than in the headers .*", "other_layout")])
def test_another_rocksdb_beside_it(lib, says, beside):
    lib.unusable(says, f"LD_PRELOAD={lib.library}:{lib.program(beside)}")


def test_without_the_second_library(lib):
    alone = lib.work / lib.library.name
    alone.write_bytes(lib.library.read_bytes())
    lib.unusable(rf"{lib.work}/libbloomline_rocksdb_preload_policy\.so: .*", f"LD_PRELOAD={alone}")
