"""Runs a program that knows only LevelDB, with and without libbloomline_leveldb_preload.so."""
import pytest

ENGINE = "LevelDB"
STOCK = "^wrong 0, reads per 1000 missing keys 1[0-9]{2}$"
BUILTIN = r"leveldb\.BuiltinBloomFilter2"
SEED = "SEED=18446744073709551615"
OWN_FORMATS = ["", "FORMAT=stock", "FORMAT=classic"]


@pytest.fixture(scope="module", autouse=True)
def databases(lib):
    lib.write("stock", None, "classic", STOCK)
    lib.write("compact", "FORMAT=compact", "compact")
    lib.write("seeded", "FORMAT=blocked " + SEED, "blocked")
    assert lib.blocked


def test_libraries(lib):
    lib.check_library(lib.library, "libc.so.6 libgcc_s.so.1 libm.so.6 libstdc++.so.6",
                      "_ZN7leveldb20NewBloomFilterPolicyEi bloomline_preload_next bloomline_preload_remarks_said")


@pytest.mark.parametrize("layout, settings, expected", [
    ("classic", "FORMAT=classic", STOCK), ("classic", "BITS_PER_KEY=20.5",
                                           "missing keys [0-9]{2}$"),
    ("blocked", "FORMAT=blocked BITS_PER_KEY=20.5",
     "^wrong 0, reads per 1000 missing keys [0-1]$")])
def test_filters(lib, tmp_path, layout, settings, expected):
    lib.write(tmp_path / "db", settings, layout, expected)


@pytest.mark.parametrize("folder, what", [
    ("compact", f'"filter_name": "{BUILTIN}"'),
    ("compact", '"layout": "bloomline small set"'),  # --require takes flat ones, too
    ("seeded", r'"filter_name": "bloomline\.seed-[0-9a-f]{32}"')])
def test_names_of_filters(lib, folder, what):
    lib.expect(lib.inspect(lib.work / folder), what)


@pytest.mark.parametrize("bits", ["0", "10", "1000"])
def test_leveldbs_own_filters_are_the_default(lib, tmp_path, bits):
    """The tables are those of a program without the library, for any number of bits."""
    tables = []
    for i, settings in enumerate([None, *OWN_FORMATS]):
        assert lib.client(settings, "write", tmp_path / str(i), bits).err == ""
        tables.append([path.read_bytes() for path in sorted((tmp_path / str(i)).glob("*.ldb"))])
        assert tables[i] == tables[0] != []


@pytest.mark.parametrize("folder, settings, expected", [
    ("stock", "", STOCK), ("stock", "FORMAT=compact", STOCK), ("compact", "", None), ("blocked",
                                                                                      None, "-"),
    ("compact", None, "-"), ("seeded", None, "-"), ("seeded", "FORMAT=compact " + SEED, None),
    ("seeded", "FORMAT=compact SEED=3", "-")])
def test_every_direction(lib, folder, settings, expected):
    lib.check(folder, settings, lib.unused if expected == "-" else expected)


def test_verbose_says_once_what_is_active(lib):
    ran = lib.client("VERBOSE=1 FORMAT=compact", "threads")
    lib.expect(ran.err, "^bloomline: LevelDB filters of preload_leveldb_client: compact, 10 bits "
               f"per key, policy {BUILTIN}, kernel [a-z0-9]+$")
    assert ran.out == "wrong 0, child 0"


# The name of a policy has the seed. With a wrong one, LevelDB does not see the seeded filters.
NO_SEED = ("cannot query existing filters that have a seed, and new files get its own LevelDB "
           "filters$")
# With the right one, it does, whatever else is wrong.
THIS_SEED = ("queries only existing filters that have this seed, none that LevelDB wrote without "
             "bloomline, and new files get its own LevelDB filters under the name of this seed$")
# LevelDB's own filters take no seed. The files get LevelDB's name, so it can use the new ones.
OWN = r"BLOOMLINE_SEED is .*; allowed: 0 in format classic.* \(BLOOMLINE_FORMAT=blo.* " + NO_SEED


@pytest.mark.parametrize("folder, finds, settings, says", [
    ("blocked", "found", "FORMAT=blocked SEED=",
     r"BLOOMLINE_SEED is ''; allowed: 0 to 2\^64 - 1; .* " + NO_SEED),
    ("blocked", "found", "FORMAT=blocked SEED=random",
     r"BLOOMLINE_SEED is 'random'; allowed: 0 to 2\^64 - 1; .* " + NO_SEED),
    ("seeded", "unused", "FORMAT=x SEED=-1",
     "BLOOMLINE_FORMAT is 'x'; .* BLOOMLINE_SEED is '-1'; .* " + NO_SEED),
    ("seeded", "found", "FORMAT=x " + SEED,
     "BLOOMLINE_FORMAT is 'x'; allowed: [a-z, ]*; .* " + THIS_SEED),
    ("stock", "unused", "FORMAT=x " + SEED, "BLOOMLINE_FORMAT is 'x'; .* " + THIS_SEED),
    *[case for own in OWN_FORMATS for case in (
        ("stock", STOCK, f"{own} {SEED}", OWN), ("blocked", "found", f"{own} {SEED}", OWN),
        ("seeded", "unused", f"{own} {SEED}", OWN),
        ("blocked", "found", f"{own} BITS_PER_KEY=0 {SEED}",
         "BLOOMLINE_BITS_PER_KEY is '0'; .*" + OWN))]])
def test_wrong_settings_and_seeds(lib, folder, finds, settings, says):
    expected = getattr(lib, finds, finds).removesuffix("$")
    lib.check(folder, settings, f"{expected}bloomline: {says}")
    new = lib.new_filters(settings)
    if says.endswith(OWN):
        lib.expect(new, f'"filter_name": "{BUILTIN}"')
        lib.check("new", None, STOCK)
    elif says.endswith(THIS_SEED):
        lib.check("new", "FORMAT=blocked " + SEED, STOCK)


def test_what_a_program_asks_for(lib):
    lib.check("blocked", "", asked="1000")
    lib.check("seeded", "FORMAT=blocked " + SEED, asked="1000",
              expected=lib.found.removesuffix("$") +
              "bloomline: the program asks for 1000 .* " + THIS_SEED)


# A jump takes the place of the call in tail_basho, so the return address is not in a file that
# knows LevelDB.
@pytest.mark.parametrize("expected, modules, setting", [
    ("^own .*another std::string", ["foreign_module"], ""), ("^own .*Basho's LevelDB",
                                                             ["basho_module"], ""),
    ("^own .*Basho's LevelDB", ["tail_basho"], ""),
    ("^none bloomline: .*which LevelDB.* queries no existing filters, and new files get none$",
     ["tail_basho", "foreign_module"], ""),
    ("^leveldb.BuiltinBloomFilter, .* bloomline: this LevelDB's filters have another name: .* "
     "queries no existing filters of bloomline, and new files get its own LevelDB filters$", ["old_leveldb",
                                                                                   ""],
     "FORMAT=x")])
def test_a_leveldb_that_bloomline_does_not_know(lib, expected, modules, setting):
    ran = lib.run(setting, lib.host, *[name and lib.program(name) for name in modules])
    lib.expect(f"{ran.out} {ran.err}", expected)


@pytest.mark.parametrize("before", ["", "before"])
@pytest.mark.parametrize("string", ["old_string_leveldb", "own_string_leveldb"])
@pytest.mark.parametrize("setting, matched, size", [
    ("", "1000", "1"), ("FORMAT=compact", "[0-9]", "124"), ("FORMAT=blocked", "[0-9]{1,2}", "126")])
def test_the_string_before_gcc_5(lib, setting, matched, size, string, before):
    """LevelDB writes its own filter, of one byte, or bloomline's, behind what is in the string. The
    C++ library is bloomline's or its own: empty strings differ."""
    ran = lib.run(setting, lib.host, lib.program(string), before)
    lib.expect(f"{ran.out} {ran.err}", f"^{BUILTIN}, lost 0, matched {matched}, {size} bytes $")
