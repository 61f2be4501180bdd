"""Runs a program that knows only RocksDB, with and without libbloomline_rocksdb_preload.so."""
import re

import pytest

ENGINE = "RocksDB"
STOCK = "stock, written by RocksDB's own policy"
STRING = "RKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
FAMILIES = "RKSt6vectorINS_22ColumnFamilyDescriptorESaISD_EEPSC_IPNS_18ColumnFamilyHandleESaISJ_EE"
OPENS = [f"_ZN7rocksdb2DB4OpenERKNS_{options}{opened}"
         for opened in ("PPS0_", "PSt10unique_ptrIS0_St14default_deleteIS0_EE")
         for options in (f"7OptionsE{STRING}", f"9DBOptionsE{STRING}{FAMILIES}")]


def result(policy, bits_per_key, false_positives=r"[6-9]\.[0-9]|1[0-3]\.[0-9]"):
    return (f"^wrong 0, policy {policy}, bits per key {bits_per_key}, "
            f"false positives per 1000 ({false_positives})$")


OWN, RIBBON = result("bloomfilter", r"10\.0"), result("ribbonfilter", r"7\.[0-2]")
SIXTEEN = [result(policy, bits + r"\.[0-9]", r"[0-1]\.[0-9]") for policy, bits in (
    ("bloomline", "16"), ("bloomfilter", "16"), ("ribbonfilter", "11"))]


def options_of(lib, folder):
    """The lines of its OPTIONS files that name a policy, each once."""
    return "\n".join(sorted({
        line for path in (lib.work / folder).glob("OPTIONS-*")
        for line in path.read_text().splitlines() if "filter_policy=" in line}))


@pytest.fixture(scope="module")
def librocksdb(lib):
    """Its name, and its path."""
    libraries = lib.run(None, "ldd", lib.path).out
    return re.search(r"(librocksdb\S*) => (\S*)", libraries).groups()


def test_libraries(lib, librocksdb):
    lib.check_library(lib.library, "libc.so.6", " ".join([
        *OPENS, "_ZN7rocksdb20NewBloomFilterPolicyEdb", "_ZN7rocksdb21NewRibbonFilterPolicyEdi",
        "bloomline_preload_next"]))
    lib.check_library(
        lib.build / "libbloomline_rocksdb_preload_policy.so",
        f"libc.so.6 libgcc_s.so.1 libm.so.6 {librocksdb[0]} libstdc++.so.6",
        "bloomline_preload_new_policy bloomline_preload_open bloomline_preload_policy_version "
        "bloomline_preload_remarks_said bloomline_preload_start_5")


def test_the_page_names_the_settings_that_the_library_reads(request):
    project = request.config.rootpath.parent
    page = (project / "docs/rocksdb.md").read_text().partition("\n## Preload")[2]
    read = (project / "src/engines/preload/environment.h").read_text()
    assert sorted(re.findall(r"^\| `(BLOOMLINE_[A-Z_]+)`", page, re.M)) == sorted(
        name for name in re.findall(r'"(BLOOMLINE_[A-Z_]+)"', read) if "LIBRARY" not in name)


@pytest.mark.parametrize("settings, layout, expected, asked", [
    ("FORMAT=ribbon", "ribbon", RIBBON, None),
    ("BITS_BY_LEVEL=auto FORMAT=blocked", "blocked", result("bloomline", r"(9|10)\.[0-9]"), None),
    # RocksDB's own filters with other bits. Without a format, they stay.
    ("BITS_BY_LEVEL=16.5", "bloom", SIXTEEN[1], None),
    ("FORMAT=bloom BITS_BY_LEVEL=16.5", "bloom", SIXTEEN[1], None),
    ("FORMAT=stock BITS_PER_KEY=16.5", "ribbon", SIXTEEN[2], "ribbon:10:-1"),
    # Below 0.5 bits the program asks for no filters, and gets none.
    *[("BITS_PER_KEY=10 FORMAT=blocked BITS_BY_LEVEL=12 VERBOSE=0", None,
       result("bloomline", r"0\.0", r"1000\.0"), asked) for asked in ("bloom:0.3", "ribbon:0.3")],
    # By name, as in OPTIONS files.
    ("", "blocked", None, "{id=bloomline;format=blocked;bits_per_key=10}")])
def test_filters(lib, tmp_path, settings, layout, expected, asked):
    lib.write(tmp_path / "db", settings, layout, expected, asked)


@pytest.mark.parametrize("seed, settings, expected", [
    ("12345", "BITS_PER_KEY=16.5", SIXTEEN[0]), ("random", "", None)])
def test_seeds(lib, tmp_path, seed, settings, expected):
    found = lib.write(tmp_path / "db", f"FORMAT=blocked SEED={seed} {settings}", "blocked",
                      expected)
    lib.expect(found, f'"running_policy": "[^"]*[{{;]seed={seed}[;}}]')
    lib.check(tmp_path / "db", "FORMAT=blocked", expected)


def test_options_text_of_rocksdbs_own_ribbon_policy(lib):
    """From 8.7 on."""
    text = "{id=ribbonfilter:10:0;bloom_before_level=0;}"
    lib.run(None, "sh", "-c", '"$@" || true', "", lib.path, "write", lib.work / "own", text)
    if options_of(lib, "own"):
        lib.write("ribbon_options", "FORMAT=blocked", "blocked",
                  lib.found.replace("bloomline", "ribbonfilter"), text)
    if "bloom_before_level=" in options_of(lib, "own"):
        lib.write("ribbon_level", "FORMAT=ribbon", "bloom", "^wrong 0, ",
                  "{id=ribbonfilter:10:-1;bloom_before_level=3;}")


@pytest.mark.parametrize("asked, layout, active", [
    ("bloom:9.55", "stock", STOCK), ("ribbon:7.5:1", None, STOCK), ("ribbon:7.5:0", None, STOCK),
    ("bloom:0.3", None, ""),
    ("bloom:nan", None, STOCK),  # RocksDB takes it for 100, and reads that in its OPTIONS file
    ("bloom:9.55", "bloom", r"bloom, 9\.55 bits per key"),
    ("ribbon:10:-1", "ribbon", "ribbon, 10 bits per key"),
    ("ribbon:10:0", "ribbon", "ribbon, 10 bits per key, flushed files bloom"),
    ("ribbon:10:2", "ribbon", "ribbon, 10 bits per key, bloom before level 2"),
    # Option strings keep RocksDB's name and text, whatever is written.
    *[(text, None, STOCK) for text in ("bloomfilter:9.55", "bloomfilter:10:false",
                                       "rocksdb.BloomFilter:7:true", "ribbonfilter:7.5",
                                       "rocksdb.RibbonFilter:10:1")]])
def test_what_rocksdb_would_write(lib, tmp_path, asked, layout, active):
    """The program writes what it writes without the library, and no file but the LOG names
    bloomline. `active` is what BLOOMLINE_VERBOSE says."""
    without = lib.client(None, "files", tmp_path / "without", asked).out
    ran = lib.client("VERBOSE=1" + (f" FORMAT={layout}" if layout else ""), "files",
                      tmp_path / "with", asked)
    assert ran.out == without
    lib.expect(ran.err, "filter_policy=bloomline" +
               (active and f".*_client: {active}, kernel [a-z0-9]+") + "$")
    assert not [path for path in tmp_path.glob("with/[!L]*") if b"bloomline" in path.read_bytes()]
    assert options_of(lib, tmp_path / "with") == options_of(lib, tmp_path / "without")
    if "filter:" in asked.lower():
        lib.write(tmp_path / "blocked", "FORMAT=blocked", "blocked",
                  r"^wrong 0, policy (bloom|ribbon)filter, .* per 1000 [0-9.]{3,4}$", asked)
        assert options_of(lib, tmp_path / "blocked") == options_of(lib, tmp_path / "without")
    if asked == "bloomfilter:10:false":
        lib.check(tmp_path / "blocked", None, lib.unused.replace("bloomline", "bloomfilter"))


@pytest.mark.parametrize("asked, settings, says, id_", [
    ("ribbon:10", "BITS_BY_LEVEL=auto",
     "flushed files bloom, by level auto except with FIFO compaction",
     r"=(\{id=)?ribbonfilter:10:0(;bloom_before_level=0;\})?$"),
    # The levels with Bloom filters: the program's own, unless a variable says otherwise.
    ("ribbon:10:2", "FORMAT=ribbon", "bloom before level 2", "[={;]ribbonfilter:10:2[:;}]*"),
    ("ribbon:10:2147483647", "FORMAT=ribbon", "bloom before level 64",
     "[={;]ribbonfilter:10:64[:;}]*"),
    ("ribbon:10:2", "FORMAT=ribbon BLOOM_BEFORE_LEVEL=5", "bloom before level 5",
     "[={;]ribbonfilter:10:5[:;}]*"),
    ("bloom:10", "FORMAT=ribbon BLOOM_BEFORE_LEVEL=3", "bloom before level 3",
     "[={;]ribbonfilter:10:3[:;}]*"),
    ("bloom:10", "FORMAT=ribbon FLUSH_FORMAT=bloom", "flushed files bloom",
     "[={;]ribbonfilter:10:0[:;}]*"),
    ("ribbon:10:2", "FORMAT=ribbon FLUSH_FORMAT=blocked", "flushed files blocked",
     "[={;]bloomline[:;}]*")])
def test_levels(lib, tmp_path, asked, settings, says, id_):
    ran = lib.client("VERBOSE=1 " + settings, "write", tmp_path / "db", asked)
    lib.expect(ran.err, f" ribbon, 10 bits per key, {says}, kernel")
    lib.expect(options_of(lib, tmp_path / "db"), id_)


MEMORY, BITS = result("ribbonfilter", r"(9\.[89]|10\.[0-2])", r"0\.[7-9]|1\.[0-9]"), r"14\.5[0-9]"


@pytest.mark.parametrize("settings, asked, says, expected", [
    ("FORMAT=compact", "bloom:10", f"{BITS} bits per key", MEMORY),
    ("FORMAT=compact BITS_PER_KEY=10", "bloom:16", f"{BITS} bits per key", MEMORY),
    ("FORMAT=compact BITS_BY_LEVEL=10:10", "ribbon:10", f"10 bits per key, by level {BITS}:{BITS}",
     MEMORY),
    ("FORMAT=compact BITS_PER_KEY=10 SEED=random FLUSH_FORMAT=blocked", "ribbon:16:0",
     f"{BITS} bits per key, without BLOOMLINE_SEED and BLOOMLINE_FLUSH_FORMAT", MEMORY),
    # The compaction moves the flushed file.
    ("FORMAT=blocked FLUSH_FORMAT=compact SEED=7", "bloom:10",
     "10 bits per key, flushed files ribbon, without "
     "BLOOMLINE_SEED", RIBBON.replace("ribbonfilter", "bloomline")),
    # The bits of a program's Ribbon filters are Ribbon's.
    ("FORMAT=compact", "ribbon:10:-1", "10 bits per key", RIBBON),
    ("FORMAT=compact", "ribbon:10:0", "10 bits per key, flushed files bloom",
     OWN.replace("bloom", "ribbon")),
    ("FORMAT=compact", "ribbon:2:-1", "2 bits per key", "^wrong 0, policy ribbonfilter, .*")])
def test_compact_means_ribbon_in_the_same_memory(lib, tmp_path, settings, asked, says, expected):
    """One line says so."""
    new = "blocked" if "FORMAT=blocked F" in settings else "ribbon"
    lib.write(tmp_path / "db", settings, None, expected.removesuffix("$") + "bloomline: BLOOMLINE_"
              "(FLUSH_)?FORMAT is 'compact', whose place ribbon takes in RocksDB; new filters "
              f"of preload_rocksdb_client are {new}, {says}$", asked)
    if says == f"{BITS} bits per key":
        lib.expect(options_of(lib, tmp_path / "db"), rf"=(\{{id=)?ribbonfilter:{BITS}")


def test_every_direction(lib):
    lib.write("own", None, "bloom", OWN)
    lib.check("own", "", OWN)
    lib.write("ribbon", "FORMAT=ribbon", "ribbon", RIBBON)
    lib.check("ribbon", "FORMAT=blocked", RIBBON)
    lib.check(lib.blocked, "FORMAT=stock")
    lib.check(lib.blocked, "FORMAT=ribbon")
    lib.check(lib.blocked, None, lib.unused)
    # This policy writes no filters.
    lib.check(lib.blocked, "", asked="{id=rocksdb.BuiltinBloomFilter}")


def test_keys_without_a_prefix(lib, tmp_path):
    """RocksDB's Ribbon filters would have no bytes here: it aborts, or loses the keys. The matrix
    has the other formats."""
    assert lib.client("FORMAT=stock", "domain", tmp_path / "db",
                       "ribbon:10:-1").both == "lost 0"


def test_verbose_says_once_what_is_active(lib):
    """And that the name is known."""
    ran = lib.client("VERBOSE=1 FORMAT=blocked", "threads")
    lib.expect(ran.err, "^bloomline: RocksDB of preload_rocksdb_client knows filter_policy="
               "bloomline\nbloomline: RocksDB filters of preload_rocksdb_client: blocked, 10 bits per key, "
               "kernel [a-z0-9]+$")
    assert ran.out == "wrong 0, child 0"


@pytest.mark.parametrize("settings, account, bits", [
    (None, "", "10"), ("", "", "10"), ("BITS_BY_LEVEL=10", "", "10"),
    ("BITS_BY_LEVEL=auto", "bloomline.account", "1[1-9]"),
    ("BITS_BY_LEVEL=auto FORMAT=blocked", "bloomline.account", "1[1-9]"),
    # No policy can use it where the settings are refused.
    ("BITS_BY_LEVEL=auto SEED=no", "", "10")])
def test_ways_to_open_a_database(lib, tmp_path, settings, account, bits):
    """If bits follow the levels, a FilterAccount is among the listeners of each database that the
    program can write, and a flushed file has these bits per key. No OPTIONS file names it but that
    of a program that does; the second run opens those."""
    late = [lib.host, lib.program("rocksdb_module")]
    program = late if "FORMAT" in str(settings) else [lib.path]
    for _ in range(2):
        ran = lib.run(settings, *program, "ways", tmp_path, "bloom:10")
        lib.expect(ran.out if "SEED" in str(settings) else ran.both, f"""^options: {account}
both databases have one account: 0
families: {account}
read only: 
the program's options: 
a listener: own{account and ', '}{account}
an account: {'' if settings is None else 'bloomline.account'}
no database: Invalid argument:
a flushed file: {bits} bits per key$""")
        assert {path.parent.name for path in tmp_path.glob("*/OPTIONS-*")
                if "account" in path.read_text()} <= {"account"}


def test_an_initializer_asks_too_early(lib, tmp_path, librocksdb):
    """Before the preload library is initialized; and before RocksDB itself is. Later policies are
    bloomline's."""
    early = f"LD_PRELOAD={lib.library}:{lib.program('early_rocksdb')} "
    lib.expect(lib.run(early + "VERBOSE=1 FORMAT=ribbon", "true").err,
               "^bloomline: RocksDB of true knows filter_policy=bloomline\n"
               "bloomline: RocksDB filters of true: ribbon, 12 bits per key, kernel [a-z0-9]+$")
    ran = lib.client(early + "TEST_EARLIEST= FORMAT=blocked", "write", tmp_path / "db",
                      "bloom:10")
    lib.expect(ran.out, lib.found)
    symbols = lib.run(None, "nm", "-D", "--undefined-only", librocksdb[1]).out
    lib.expect(ran.err, "^asked\nbloomline: .* before RocksDB's own variables are set; [^;]*$"
               if "_ZNSt8ios_base4InitC1Ev" in symbols else "^$")


def test_both_preload_libraries_in_a_process(lib):
    """Remarks on variables that both know are printed once."""
    leveldb = lib.build / "libbloomline_leveldb_preload.so"
    if not leveldb.exists():
        pytest.skip("without LevelDB")
    err = lib.run(f"LD_PRELOAD={lib.library}:{leveldb}:{lib.program('early_rocksdb')} VERBOSE=yes "
                  "FORMT= FLUSH_FORMAT=bloom", lib.programs / "preload_leveldb_client",
                  "threads").err
    assert sorted(re.sub(";.*| \\(did.*", "", line) for line in err.splitlines()) == [
        "bloomline: BLOOMLINE_FLUSH_FORMAT is for RocksDB only",
        "bloomline: BLOOMLINE_VERBOSE is 'yes'",
        "bloomline: no preload library reads 'BLOOMLINE_FORMT'"]


def test_installed_libraries_find_each_other_in_any_folder(lib, tmp_path):
    lib.run(None, "cmake", "--install", lib.build, "--prefix", tmp_path, "--component",
            "bloomline_preload")
    installed, = tmp_path.rglob(lib.library.name)
    lib.check(lib.blocked, f"LD_PRELOAD={installed}")


def test_programs_that_open_rocksdb_late_without_a_caller(lib):
    tail = lib.program("tail_rocksdb")
    assert lib.run("FORMAT=blocked", lib.host, tail).both == "bloomline"
    assert lib.run("FORMAT=blocked SEED=no", lib.host, tail).out in (
        "bloomfilter", "rocksdb.BuiltinBloomFilter")


@pytest.mark.parametrize("thrown", ["", " TEST_THROW="])
@pytest.mark.parametrize("beside", [[], ["versioned_module"]])
@pytest.mark.parametrize("copies", [1, 2])
def test_a_file_that_needs_no_rocksdb_opens_a_database(lib, tmp_path, copies, beside, thrown):
    """With one, with two (or with two copies of an inline function), and with two preload
    libraries. An exception passes through all of them."""
    lib.run(None, "cp", *lib.build.glob("libbloomline_rocksdb_preload*.so"), tmp_path)
    libraries = f"{tmp_path / lib.library.name}:{lib.library}" if copies == 2 else lib.library
    ran = lib.run(f"LD_PRELOAD={libraries} BITS_BY_LEVEL=auto TEST_OPEN={OPENS[0]}{thrown}",
                  lib.host,
                  lib.program("foreign_module"), *map(lib.program, beside))
    assert ran.out == ("not opened" if thrown else "opened")


def test_without_a_rocksdb_the_dynamic_linker_would_have_ended_the_program(lib):
    ran = lib.run(f"TEST_OPEN={OPENS[0]}", lib.host, lib.program("hung_disk"), status=127)
    assert ran.err == f"{lib.host}: symbol lookup error: undefined symbol: {OPENS[0]}"


@pytest.mark.parametrize("is_beside", [False, True])
def test_a_program_with_its_own_rocksdb(lib, librocksdb, is_beside):
    ran = lib.run("", lib.host, lib.program("foreign_module"), *librocksdb[1:][:is_beside])
    lib.expect(f"{ran.out} {ran.err}", "^own .*but RocksDB is in .*foreign_module")
