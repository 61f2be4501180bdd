"""Runs the engines' db_bench programs and reads what they print."""
import os
import re
import resource
import subprocess
import sys

# RocksDB:  "readrandom   :       1.434 micros/op 697384 ops/sec 0.287 seconds ..."
# LevelDB:  "readrandom   :       1.225 micros/op; (63190 of 100000 found)"
_RESULT = re.compile(r"^(\w+)\s*:\s+([0-9.]+) micros/op(?:;| (\d+) ops/sec)(.*)$", re.MULTILINE)
_FOUND = re.compile(r"\((\d+) of (\d+) found\)")


class Failure(Exception):
    """A program failed, or printed what it should not: the figures would mean nothing."""


def run(what, command, **environment):
    """Returns stdout and stderr of the command as one text. Says on a terminal what runs."""
    if sys.stderr.isatty():
        print(what, file=sys.stderr)
    # The user's settings of the preloaded library would change what is measured.
    inherited = {name: value for name, value in os.environ.items()
                 if not name.startswith("BLOOMLINE_") or name == "BLOOMLINE_KERNEL"}
    # db_bench begins its counts of finished operations with a carriage return, on stderr.
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**inherited, **environment}, text=True, errors="replace",
                          check=False)
    text = "\n".join(line.rsplit("\r", 1)[-1] for line in done.stdout.split("\n"))
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}\n{text}\nexit status {done.returncode}")
    return text


def cpu_seconds():
    """The CPU time of all commands so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def results(text, workloads):
    """{workload: (operations per second, keys found or None)}; all workloads must be there."""
    found = {}
    for match in _RESULT.finditer(text):
        workload, micros, operations, rest = match.groups()
        keys = _FOUND.search(rest)
        rate = float(operations) if operations else 1e6 / float(micros)
        found[workload] = (rate, int(keys.group(1)) if keys else None)
    for workload in workloads:
        if workload not in found:
            raise Failure(f"no result of {workload} in:\n{text}")
    return {workload: found[workload] for workload in workloads}


def number(text, pattern):
    """The one number that `pattern` has a group for."""
    match = re.search(pattern, text, re.MULTILINE)
    if not match:
        raise Failure(f"no '{pattern}' in:\n{text}")
    return int(match.group(1))
