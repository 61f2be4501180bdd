"""LevelDB's db_bench with our extension (leveldb/extension.h)."""
import re
import shutil

import measurements
import programs

TITLE = "LevelDB's db_bench"
READS = ("readrandom", "readmissing")
WORKLOADS = ("fillrandom",) + READS
# The policies are also the values of --policy.
SUBJECTS = [measurements.Subject(policy, "extension")
            for policy in (measurements.BASELINE, "blocked", "compact")]


class Bench(measurements.Bench):
    ENGINE = "leveldb"
    WORKLOADS = WORKLOADS

    def measure(self):
        for _, subject in measurements.turns(self._plan.fill_rounds, SUBJECTS):
            self._fill(subject)
        for _, subject in measurements.turns(self._plan.rounds, SUBJECTS):
            self._read(subject)
        for subject in SUBJECTS:
            for workload in READS:
                self._count(subject, workload)
        for subject in SUBJECTS:
            shutil.rmtree(self._database(subject))
        return self._rows

    def _database(self, subject):
        return self._folder / f"leveldb-{subject.policy}"

    def _bench(self, what, subject, benchmarks, *flags):
        return programs.run(
            f"leveldb {what} {subject.policy}",
            [self._plan.leveldb_bench, f"--db={self._database(subject)}",
             f"--benchmarks={benchmarks}", f"--num={self._plan.leveldb_num}",
             f"--write_buffer_size={self._plan.leveldb_buffer}",
             f"--policy={subject.policy}", f"--bloom_bits={measurements.BITS}",
             "--compression_ratio=1", *flags])

    # Each benchmark of a process has another seed, a number that counts them. So the compactions of
    # the empty database give the filling a seed that the reads do not have: they would ask for the
    # stored keys, in the order of their writing.
    def _fill(self, subject):
        text = self._bench("fillrandom", subject,
                           "compact,compact,compact,compact,fillrandom,compact", "--files=1")
        self._rows.add_round(subject, programs.results(text, ["fillrandom"]))
        files = re.search(r"^files +: (\d+) keys, (\d+) levels, (\d+) filters, (\d+) filter bytes",
                          text, re.MULTILINE)
        if not files or files.group(2) != "1":
            raise programs.Failure(f"files not in one level after compaction:\n{text}")
        if files.group(3) == "0":
            raise programs.Failure(f"{subject.policy}: no filters")
        for workload in WORKLOADS:
            row = self._rows.row(workload, subject)
            row.num_keys = int(files.group(1))
            row.filter_bytes = int(files.group(4))

    def _read(self, subject):
        text = self._bench("reads", subject, ",".join(READS), "--use_existing_db=1",
                           f"--reads={self._plan.leveldb_reads}")
        self._rows.add_round(subject, programs.results(text, READS))

    def _count(self, subject, workload):
        text = self._bench("counts", subject, workload, "--use_existing_db=1",
                           f"--reads={self._plan.leveldb_reads}", "--count=1")
        _, found = programs.results(text, [workload])[workload]
        queries = programs.number(text, r"^filters +: (\d+) queries")
        row = self._rows.row(workload, subject)
        row.useful = programs.number(text, r"^filters +: .* (\d+) rejected$")
        row.false_positives = queries - row.useful - (found or 0)

