"""Runs the engines' own db_bench with their filters and ours. db_bench_ext/run calls it.

Prints the tables; writes db_bench.txt and db_bench.csv. Exit status 1 if a policy found other keys than the built-in one.
"""
import argparse
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time

import leveldb_runs
import measurements
import programs
import report
import rocksdb_runs


def flags():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--db-dir")
    parser.add_argument("--environment", required=True, help="lines that describe the machine")
    parser.add_argument("--preload", help="libbloomline_rocksdb_preload.so; default: no RocksDB")
    parser.add_argument("--leveldb-bench", help="with the extension; default: no LevelDB")
    return parser.parse_args()


# A database is opened in hundreds of processes, which takes seconds each where a disk is busy.
def memory_folder():
    folder = "/dev/shm"
    if os.access(folder, os.W_OK) and shutil.disk_usage(folder).free > 1 << 30:
        return folder
    return tempfile.gettempdir()


def complete(plan):
    plan.num = plan.rows or (20000 if plan.quick else 500000)
    plan.leveldb_num = plan.rows or (20000 if plan.quick else 300000)
    plan.reads = min(150000, plan.num)
    plan.leveldb_reads = min(200000, plan.leveldb_num)
    plan.rounds = plan.rounds or (1 if plan.quick else 7)
    plan.fill_rounds = min(3, plan.rounds)
    # Several buffers are written, so that the compaction has work and drops overwritten values.
    plan.leveldb_buffer = min(4 << 20, max(64 << 10, 116 * plan.leveldb_num // 8))
    plan.db_dir = plan.db_dir or memory_folder()
    return plan


def main():
    plan = complete(flags())
    started = time.monotonic()
    modules = [leveldb_runs] * bool(plan.leveldb_bench) + [rocksdb_runs] * bool(plan.preload)
    text = []

    def say(part):
        text.append(part)
        print(part, flush=True)

    say("The engines' own db_bench, with their filters and with bloomline\n\n"
        + plan.environment.rstrip("\n") + "\n" + report.legend(
            folder=plan.db_dir, leveldb_buffer=plan.leveldb_buffer >> 10, rounds=plan.rounds,
            fill_rounds=plan.fill_rounds))
    all_rows = []
    with tempfile.TemporaryDirectory(prefix="bloomline-", dir=plan.db_dir) as folder:
        for module in modules:
            rows = module.Bench(plan, pathlib.Path(folder)).measure()
            keys = plan.num if module is rocksdb_runs else plan.leveldb_num
            say(report.table(f"{module.TITLE}, --num={keys}, {measurements.BITS} bits per key", rows))
            all_rows.append(rows)
    wrong = [sentence for rows in all_rows for sentence in rows.wrong()]
    for sentence in wrong:
        say(f"WRONG: {sentence}")
    say(("WRONG ANSWERS." if wrong else "Every policy found the same keys.")
        + f" Elapsed: {time.monotonic() - started:.0f} s.")
    plan.out.mkdir(parents=True, exist_ok=True)
    (plan.out / "db_bench.txt").write_text("\n".join(text) + "\n")
    (plan.out / "db_bench.csv").write_text(report.csv_text(all_rows))
    return 1 if wrong else 0


if __name__ == "__main__":
    # Ends by an exception, so that the databases are removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except programs.Failure as failure:
        sys.exit(f"db_bench: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)
