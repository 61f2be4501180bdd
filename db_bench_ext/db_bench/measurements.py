"""What the runs of an engine give: one row for each workload and policy."""
import dataclasses
import statistics
import sys

BASELINE = "builtin-bloom"
BITS = 10  # per key
# bits_per_key of Ribbon filters by level that take as much memory in full levels.
SAME_MEMORY_RIBBON_BITS = 14.53


@dataclasses.dataclass
class Subject:
    policy: str
    through: str  # how db_bench comes to the policy
    flags: list = ()
    environment: dict = None
    table_name: str = ""  # RocksDB: the policy's name in the properties of a table


@dataclasses.dataclass
class Row:
    engine: str
    workload: str
    policy: str
    through: str
    rates: list = dataclasses.field(default_factory=list)  # operations per second, by round
    cpu_seconds: list = dataclasses.field(default_factory=list)  # of the process, by round
    found: set = dataclasses.field(default_factory=set)  # numbers of keys found, by round
    num_keys: int = 0  # in the database
    filter_bytes: int = 0
    useful: int = None  # queries that the filter answered with "no"
    false_positives: int = None

    def median(self):
        return statistics.median(self.rates)

    def false_positive_rate(self):
        if self.useful is None or self.useful + self.false_positives == 0:
            return None
        return self.false_positives / (self.useful + self.false_positives)

    def bits_per_key(self):
        return 8 * self.filter_bytes / self.num_keys if self.filter_bytes else None


class Rows:
    def __init__(self, engine, workloads):
        self._engine = engine
        self._workloads = workloads
        self._rows = {}

    def row(self, workload, subject):
        name = (workload, subject.policy)
        if name not in self._rows:
            self._rows[name] = Row(self._engine, workload, subject.policy, subject.through)
        return self._rows[name]

    def all(self):
        """By workload, then policy, as they were first named."""
        return sorted(self._rows.values(), key=lambda row: self._workloads.index(row.workload))

    def ratios(self, row):
        """By round: operations per second as a multiple of the baseline's."""
        baseline = self._rows.get((row.workload, BASELINE))
        if baseline is None:
            return []
        return [ours / theirs for ours, theirs in zip(row.rates, baseline.rates)]

    def add_round(self, subject, measured):
        for workload, (rate, found) in measured.items():
            row = self.row(workload, subject)
            row.rates.append(rate)
            if found is not None:
                row.found.add(found)

    # Every round asks the same keys, of databases with the same contents.
    def wrong(self):
        """Sentences; none if every round of every policy found the same keys."""
        sentences = []
        for row in self.all():
            baseline = self._rows[(row.workload, BASELINE)]
            right = {0} if row.found and row.workload == "readmissing" else baseline.found
            if row.found != right or row.num_keys != baseline.num_keys:
                sentences.append(f"{self._engine} {row.workload} {row.policy}: found "
                                 f"{row.found} of {row.num_keys} keys, {BASELINE} "
                                 f"{baseline.found} of {baseline.num_keys}")
        return sentences


class Bench:
    """What an engine's measurements begin with. A subclass has ENGINE and WORKLOADS."""

    def __init__(self, plan, folder):
        self._plan = plan
        self._folder = folder
        self._rows = Rows(self.ENGINE, self.WORKLOADS)


def turns(rounds, subjects):
    """(number of the round, subject): in each round another one is first."""
    for round_number in range(rounds):
        first = round_number % len(subjects)
        for number, subject in enumerate(subjects[first:] + subjects[:first]):
            done = round_number * len(subjects) + number
            print(f"[{done}/{rounds * len(subjects)}] round {round_number + 1}", file=sys.stderr,
                  flush=True)  # db_bench_ext/run shows it
            yield round_number, subject
