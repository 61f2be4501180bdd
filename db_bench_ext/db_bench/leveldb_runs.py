"""LevelDB's db_bench with our extension (leveldb/extension.h)."""
import re
import shutil

import measurements
import programs

TITLE = "LevelDB's db_bench"
READS = ("readrandom", "readmissing")
WORKLOADS = ("fillrandom",) + READS
# With this many bytes a data block has about 36 keys.
VALUE_BYTES = {"stock": 100, "dec16": 100, "be64": 102}
# The policies are also the values of --policy.
SUBJECTS = [measurements.Subject(policy, "extension")
            for policy in ("none", measurements.BASELINE, "classic", "blocked", "compact")]


class Bench(measurements.Bench):
    ENGINE = "leveldb"
    WORKLOADS = WORKLOADS

    def measure(self):
        for keys in VALUE_BYTES:
            for _, subject in measurements.turns(self._plan.fill_rounds, SUBJECTS):
                self._fill(keys, subject)
            for _, subject in measurements.turns(self._plan.rounds, SUBJECTS):
                self._read(keys, subject)
            for subject in SUBJECTS:
                for workload in READS:
                    self._count(keys, subject, workload)
            for subject in SUBJECTS:
                shutil.rmtree(self._database(keys, subject))
        return self._rows

    def _database(self, keys, subject):
        return self._folder / f"leveldb-{keys}-{subject.policy}"

    def _bench(self, what, keys, subject, benchmarks, *flags):
        return programs.run(
            f"leveldb {keys} {what} {subject.policy}",
            [self._plan.leveldb_bench, f"--db={self._database(keys, subject)}",
             f"--benchmarks={benchmarks}", f"--num={self._plan.leveldb_num}",
             f"--write_buffer_size={self._plan.leveldb_buffer}",
             f"--key_shape={keys}", f"--policy={subject.policy}", f"--bloom_bits={measurements.BITS}",
             f"--value_size={VALUE_BYTES[keys]}", "--compression_ratio=1", *flags])

    # Each benchmark of a process has another seed, a number that counts them. So the compactions of
    # the empty database give the filling a seed that the reads do not have: they would ask for the
    # stored keys, in the order of their writing.
    def _fill(self, keys, subject):
        text = self._bench("fillrandom", keys, subject,
                           "compact,compact,compact,compact,fillrandom,compact", "--files=1")
        self._rows.add_round(keys, subject, programs.results(text, ["fillrandom"]))
        files = re.search(r"^files +: (\d+) keys, (\d+) levels, (\d+) filters, (\d+) filter bytes",
                          text, re.MULTILINE)
        if not files or files.group(2) != "1":
            raise programs.Failure(f"files not in one level after compaction:\n{text}")
        if (int(files.group(3)) > 0) != (subject.policy != "none"):
            raise programs.Failure(f"{subject.policy}: {files.group(3)} filters")
        for workload in WORKLOADS:
            row = self._rows.row(keys, workload, subject)
            row.num_keys = int(files.group(1))
            row.filter_bytes = int(files.group(4))

    def _read(self, keys, subject):
        text = self._bench("reads", keys, subject, ",".join(READS), "--use_existing_db=1",
                           f"--reads={self._plan.leveldb_reads}")
        self._rows.add_round(keys, subject, programs.results(text, READS))

    def _count(self, keys, subject, workload):
        if subject.policy == "none":
            return
        text = self._bench("counts", keys, subject, workload, "--use_existing_db=1",
                           f"--reads={self._plan.leveldb_reads}", "--count=1")
        _, found = programs.results(text, [workload])[workload]
        queries = programs.number(text, r"^filters +: (\d+) queries")
        row = self._rows.row(keys, workload, subject)
        row.useful = programs.number(text, r"^filters +: .* (\d+) rejected$")
        row.false_positives = queries - row.useful - (found or 0)

