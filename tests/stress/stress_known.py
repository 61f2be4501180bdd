"""Failures of db_stress that are RocksDB's own: seen with its filters alone, and understood."""
import re


class Known:
    """What a failed run prints (`pattern`), with the versions of RocksDB that did so."""

    def __init__(self, pattern, versions, reason):
        self.pattern, self.versions, self.reason = re.compile(pattern), versions, reason


KNOWN = [
    Known(r"AssertFalseAndGetStatusForPrevError.*Assertion .*failed", [(7, 8, 3)],
          "after a failed write, RocksDB appends to the same log again"),
    Known(r"ConstructFragmentedRangeTombstones.*Assertion .*failed", [(7, 8, 3)],
          "after a failed write, RocksDB seals the same memtable twice"),
    Known(r"Read timestamp: \d+ is smaller than full_history_ts_low", [(11, 9, 0)],
          "db_stress reads at a time whose history it has let go, on a slow machine"),
]


def reason_of(problem, version):
    """Why a run failed, if the table has it, else ''."""
    return next((known.reason for known in KNOWN
                 if version in known.versions and known.pattern.search(problem)), "")


def excuse(ours, stock, version):
    """The reason of RocksDB's own why both runs of a pair failed, else ''. `ours` and `stock` are
    their problems. A reason that only one of them has, or none in the table, is no excuse."""
    reason = reason_of(ours, version)
    return reason if reason and reason == reason_of(stock, version) else ""


def hide_too_much(runs, verified):
    """Whether known failures ended more than half of a kind's runs, whose keys nobody verified."""
    return 2 * verified < runs
