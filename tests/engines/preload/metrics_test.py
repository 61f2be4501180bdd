"""BLOOMLINE_METRICS: the file that a preloaded library writes, and what happens if it cannot."""
import shutil
import subprocess
import time

import pytest

ENGINE = "RocksDB"
RIGHT = r"^wrong 0, policy bloomline, .*per 1000 [0-9.]+$"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "bloomline.prom"


def test_the_end_of_a_process_writes_all(lib, file, tmp_path):
    lib.write(tmp_path / "db", f"METRICS={file} FORMAT=blocked", expected=RIGHT)
    written = file.read_text()
    assert ('bloomline_filters_built_total{engine="rocksdb",policy="blocked:10",'
            'column_family="default",level="0"} 1') in written
    lib.expect(written, r'bloomline_filter_queries_total\{[^}]*answer="no"\} [0-9]{4,}')
    if shutil.which("promtool"):
        subprocess.run(["promtool", "check", "metrics"], input=written, text=True, check=True)
    # Another process begins at 0. With `stock`, the policy writes no filters, and is called none.
    lib.check(tmp_path / "db", f"METRICS={file}", ".*")
    written = file.read_text()
    assert 'bloomline_filter_queries_total{engine="rocksdb",policy="none",answer="no"}' in written
    assert "built" not in written


@pytest.mark.parametrize("lib", ["LevelDB"], indirect=True)
def test_leveldb(lib, file, tmp_path):
    lib.client(f"METRICS={file}", "write", tmp_path / "db", "10")
    assert 'queries_total{engine="leveldb",policy="classic:10",answer="no"}' in file.read_text()


def test_at_the_end_of_a_process_nothing_is_open(lib, file):
    """Even if it has not closed its databases."""
    ran = lib.client(f"METRICS={file} FORMAT=blocked", "exit", lib.blocked, "bloom:10")
    lib.expect(ran.out, "wrong 0")
    assert "bloomline_filters_opened_total" in file.read_text()
    assert "_open{" not in file.read_text() and "_open_bytes{" not in file.read_text()


def test_another_folder_of_the_program(lib, tmp_path):
    lib.client("METRICS=relative.prom", "root", lib.blocked, "bloom:10", cwd=tmp_path)
    assert (tmp_path / "relative.prom").stat().st_size > 0


def test_a_disk_that_never_answers(lib, tmp_path):
    """The end of a program does not wait for it."""
    file = tmp_path / "hung.prom"
    ran = lib.client(f"LD_PRELOAD={lib.program('hung_disk')}:{lib.library} METRICS={file} "
                     "FORMAT=blocked", "check", lib.blocked, "bloom:10", timeout=120)
    lib.expect(ran.both, RIGHT)
    assert file.stat().st_size > 0


def test_when_there_is_no_file(lib, file, tmp_path):
    """Without the variable, and in a process without a policy."""
    lib.check(lib.blocked, "")
    lib.run(f"METRICS={file}", "true")
    assert not [*tmp_path.iterdir(), *lib.work.glob("*prom*")]


@pytest.mark.parametrize("name, reason", [("none/x.prom", "No such file or directory"),
                                          ("x.prom", "is a symbolic link")])
def test_a_file_that_cannot_be_written(lib, tmp_path, name, reason):
    """The program does what it does, and stderr says once what is wrong. What a link names, which
    someone else may have put there, stays as it is."""
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "x.prom").symlink_to("precious")
    ran = lib.client(f"METRICS={tmp_path / name} METRICS_SECONDS=1 FORMAT=blocked", "check",
                      lib.blocked, "bloom:10")
    lib.expect(ran.out, RIGHT)
    lib.expect(ran.err, f"^bloomline: BLOOMLINE_METRICS is not written to {tmp_path / name}: "
               f".*{reason}.*; tries go on$")
    assert (tmp_path / "precious").read_text() == "precious"


def test_a_child_of_fork_leaves_the_file_alone(lib, file):
    ran = lib.client(f"METRICS={file} FORMAT=blocked", "threads")
    assert ran.both == "wrong 0, child 0"
    assert file.stat().st_size > 0


def test_a_program_that_is_killed_leaves_a_whole_file(lib, file):
    """It is written while the program runs."""
    with subprocess.Popen(["env", f"LD_PRELOAD={lib.library}", f"BLOOMLINE_METRICS={file}",
                           "BLOOMLINE_METRICS_SECONDS=1", "BLOOMLINE_FORMAT=blocked",
                           lib.path, "metrics",
                           lib.blocked, "bloom:10"]) as child:
        for _ in range(600):  # a second, more on a busy machine
            if file.exists() and "queries_total" in file.read_text():
                break
            time.sleep(0.1)
        child.kill()
    assert "bloomline_filter_queries_total" in file.read_text()
    assert file.read_bytes().endswith(b"\n")


@pytest.mark.parametrize("is_wrong, setting", [
    (0, "VERBOSE=yes"), (1, "FORMAT=x"), (1, "BITS_BY_LEVEL=x"),
                                               (0, "")])
def test_wrong_settings(lib, file, is_wrong, setting):
    """In so far as new files have other filters."""
    ran = lib.client(f"METRICS={file} {setting}", "check", lib.blocked, "bloom:10")
    lib.expect(ran.out, RIGHT)
    assert f"\nbloomline_settings_wrong {is_wrong}\n" in file.read_text()


def test_room_for_variables_of_other_libraries(lib):
    """Bytes of thread_local variables."""
    headers = lib.run(None, "readelf", "-lW", lib.build / "libbloomline_rocksdb_preload_policy.so")
    size, = [line.split()[5] for line in headers.out.splitlines() if line.split()[:1] == ["TLS"]]
    assert 0 < int(size, 16) <= 128
