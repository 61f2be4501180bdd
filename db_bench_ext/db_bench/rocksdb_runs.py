"""RocksDB's stock db_bench, with the policies of RocksDB and with bloomline preloaded."""
import os
import pathlib
import re
import shutil

import measurements
import programs
from measurements import Subject

TITLE = "RocksDB's stock db_bench"
DB_BENCH = "/usr/bin/db_bench"  # those of the distribution
SST_DUMP = "/usr/bin/sst_dump"
READS = ("readrandom", "readmissing")
WORKLOADS = ("fillrandom",) + READS


class Bench(measurements.Bench):
    ENGINE = "rocksdb"
    WORKLOADS = WORKLOADS

    def __init__(self, plan, folder):
        super().__init__(plan, folder)
        self._bloom = Subject(measurements.BASELINE, "flag",
                              [f"--bloom_bits={measurements.BITS}"], {}, "bloomfilter")

    def measure(self):
        options = self._stock_options()
        subjects = self._subjects(options)
        # A fresh database in each round; the last one stays.
        for round_number, subject in measurements.turns(self._plan.fill_rounds, subjects):
            self._fill(subject, round_number)
        for subject in subjects:  # also names the rows in this order
            self._inspect(subject)
        for _, subject in measurements.turns(self._plan.rounds, subjects):
            for workload in READS:
                self._read(subject, workload)
        for subject in subjects:
            for workload in READS:
                self._count(subject, workload)
        self._check_options(subjects)
        return self._rows

    # The same options whichever way the policy comes: an options file that RocksDB wrote when
    # db_bench was run with flags. It ends in the filter policy's table options.
    def _stock_options(self):
        database = self._folder / "options"
        self._bench("rocksdb options", self._bloom, database, "fillrandom", "--num=1000")
        return next(database.glob("OPTIONS-*")).read_text()

    def _subjects(self, options):
        plan = self._plan

        def preload(policy, format_name, table_name="bloomline", **variables):
            return Subject(policy, "preload", [f"--bloom_bits={measurements.BITS}"],
                           {"LD_PRELOAD": plan.preload, "BLOOMLINE_FORMAT": format_name,
                            **variables}, table_name)

        def options_file(policy, option, table_name):
            text, changed = re.subn(r"(?m)^( *filter_policy=).*$",
                                    lambda match: match.group(1) + option, options)
            if changed != 1:
                raise programs.Failure("RocksDB's options file does not name one filter policy")
            # db_bench adds its own listener again.
            text = re.sub(r"(?m)^ *listeners=.*\n", "", text)
            file = self._folder / f"{policy}.ini"
            file.write_text(text)
            return Subject(policy, "options file", [f"--options_file={file}"], {}, table_name)

        return [
            self._bloom,
            options_file("builtin-ribbon", f"ribbonfilter:{measurements.BITS}", "ribbonfilter"),
            # RocksDB's own filters, written and queried by bloomline.
            preload("ribbon", "ribbon", "ribbonfilter"),
            preload("ribbon-by-level", "ribbon", "ribbonfilter", BLOOMLINE_BITS_BY_LEVEL="auto",
                    BLOOMLINE_BITS_PER_KEY=str(measurements.SAME_MEMORY_RIBBON_BITS)),
            preload("blocked", "blocked"),
        ]

    def _database(self, subject):
        return self._folder / f"rocksdb-{subject.policy}"

    def _bench(self, what, subject, database, benchmarks, *flags):
        return programs.run(
            what,
            [DB_BENCH, f"--db={database}", f"--benchmarks={benchmarks}", f"--num={self._plan.num}",
             "--seed=1", "--compression_type=none", "--disable_wal=1",
             f"--cache_size={8 << 20}", f"--write_buffer_size={8 << 20}",
             *subject.flags, *flags],
            **subject.environment)

    def _fill(self, subject, round_number):
        database = self._database(subject)
        shutil.rmtree(database, ignore_errors=True)
        what = f"rocksdb fillrandom {subject.policy}, round {round_number + 1}"
        # No waitforcompaction, which sleeps for five seconds: compact waits, and is checked.
        before = programs.cpu_seconds()
        text = self._bench(what, subject, database, "fillrandom,flush,compact,levelstats")
        self._rows.row("fillrandom", subject).cpu_seconds.append(
            programs.cpu_seconds() - before)
        self._rows.add_round(subject, programs.results(text, ["fillrandom"]))
        levels = re.findall(r"^ +\d+ +([1-9]\d*) +\d+$", text, re.MULTILINE)
        if len(levels) != 1:
            raise programs.Failure(f"files in {len(levels)} levels after compaction:\n{text}")

    def _inspect(self, subject):
        text = programs.run(f"rocksdb tables {subject.policy}",
                                [SST_DUMP, f"--file={self._database(subject)}",
                                 "--show_properties", "--command=none"])

        def values(name):
            return re.findall(rf"^ +{name}: (.*)$", text, re.MULTILINE)

        if set(values("filter policy name")) != {subject.table_name}:
            raise programs.Failure(f"{subject.policy}: the tables do not have filters of "
                                   f"{subject.table_name}:\n{text}")
        for workload in WORKLOADS:
            row = self._rows.row(workload, subject)
            row.num_keys = sum(map(int, values("# entries")))
            row.filter_bytes = sum(map(int, values("filter block size")))

    # The seed of the filling would ask for the stored keys, in the order of their writing. Missing
    # keys are fast, so it asks for more of them.
    def _read_command(self, what, subject, workload, *flags):
        reads = self._plan.reads * (8 if workload == "readmissing" else 1)
        return self._bench(f"rocksdb {what} {subject.policy}", subject, self._database(subject),
                           workload, "--use_existing_db=1", "--seed=2", f"--reads={reads}",
                           *flags)

    def _read(self, subject, workload):
        text = self._read_command("reads", subject, workload)
        self._rows.add_round(subject, programs.results(text, [workload]))

    def _count(self, subject, workload):
        text = self._read_command("counts", subject, workload, "--statistics=1")

        def ticker(name):
            return programs.number(text, rf"^rocksdb\.bloom\.filter\.{name} COUNT : (\d+)$")

        row = self._rows.row(workload, subject)
        row.useful = ticker("useful")
        row.false_positives = ticker(r"full\.positive") - ticker(r"full\.true\.positive")
        if row.useful == 0:
            raise programs.Failure(f"{subject.policy}: the filters were not used:\n{text}")

    def _check_options(self, subjects):
        def options(subject):
            newest = max(self._database(subject).glob("OPTIONS-*"), key=os.path.getmtime)
            return [line for line in pathlib.Path(newest).read_text().splitlines()
                    if not re.match(r" *(filter_policy|listeners)=", line)]

        for subject in subjects:
            if options(subject) != options(self._bloom):
                raise programs.Failure(f"{subject.policy} ran with other options than "
                                       f"{self._bloom.policy}")
