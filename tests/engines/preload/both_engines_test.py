"""What holds for the preload libraries of both engines."""
import pytest

pytestmark = pytest.mark.parametrize("lib", ["RocksDB", "LevelDB"], indirect=True)


def test_a_program_without_the_engine(lib):
    ran = lib.run("LD_BIND_NOW=1 FORMAT=wrong WRONG=", "sh", "-c",
                  "ls / >/dev/null; cat /proc/self/maps")
    assert ran.err == ""
    assert f"lib{lib.engine.lower()}.so" not in ran.out
    assert "preload_policy" not in ran.out


def test_a_program_that_opens_the_engine_late(lib, tmp_path):
    module = lib.program(f"{lib.engine.lower()}_module")
    late = lib.host, module, "check", lib.blocked, lib.asked
    lib.expect(lib.run("FORMAT=blocked", *late).both, lib.found)
    lib.expect(lib.run("SEED=no", *late).out, lib.found)
    # A library that is preloaded twice, from two folders.
    lib.run(None, "cp", *lib.build.glob(f"{lib.library.stem}*.so"), tmp_path)
    twice = f"LD_PRELOAD={tmp_path / lib.library.name}:{lib.library}"
    assert lib.run(twice, lib.host, module, "threads").out == "wrong 0, child 0"
