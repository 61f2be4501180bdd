"""Runs db_stress again and again on one database: kills it, and lets it verify the database."""
import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import stress_kinds
import stress_known

# A round that hangs ends here, and has failed.
AT_MOST_SECONDS = 1800
# What db_stress prints when a key is lost, or an answer is another.
LOST = (r"verification failed|expected state has|expected state does not|diverged|inconsistent"
        r"|different results|remaining data to scan|control in?terator is invalid"
        r"|stays in prefix|error expected")
# What it, RocksDB's assertions and the C library print when something is wrong. A killed process
# prints other errors, too, such as those of injected faults.
WRONG = re.compile(LOST + r"|is_consistent is false|against expected state error|assertion"
                   r"|corruption:|segmentation|terminate called|received signal|double free"
                   r"|invalid pointer", re.I)
# The last lines of a process that has printed the reason before.
CONSEQUENCE = re.compile(r"verification failed :\(|is_consistent is false"
                         r"|received signal %d\b" % signal.SIGABRT, re.I)
# RocksDB's kill points print this and send SIGTERM.
KILL_POINT = "Crashing at "
# Rates of injected failures of writes; versions of db_stress have more or fewer of them.
WRITE_FAULTS = ("write_fault_one_in", "open_write_fault_one_in", "metadata_write_fault_one_in",
                "open_metadata_write_fault_one_in")
COUNTS = {"reads": r"(\d+) read and", "scans": r"Iterated (\d+) times",
          "prefix_scans": r"Prefix scanned (\d+) times"}
TICKERS = {"rejected": ("bloom.filter.useful",)}


def is_lost_key(problem):
    return re.search(LOST, problem, re.I) is not None


def wrong_line(log, version):
    """The line that says what was wrong, or ''. A failure that RocksDB is known for comes last: it
    must not hide a lost key. Nor must a line without a reason."""
    lines = [line[:300] for line in log.split("\n") if WRONG.search(line)]
    reasons = [line for line in lines if not CONSEQUENCE.search(line)]
    unknown = [line for line in reasons if not stress_known.reason_of(line, version)]
    return next(iter(unknown or reasons or lines), "")


class Program:
    """A db_stress with its library, the db_crashtest.py of its version, and bloomline's preload."""

    def __init__(self, path, tree, version, preload):
        self.path, self.version, self.preload = path, version, preload
        self.crash_test = os.path.join(tree, "tools", "db_crashtest.py")
        libraries = subprocess.run(["ldd", path], stdout=subprocess.PIPE, text=True, check=True)
        library = re.search(r"librocksdb\S* => (\S+)", libraries.stdout).group(1)
        with open(library, "rb") as content:
            self.has_assertions = b"N7rocksdb9SyncPoint11GetInstanceEv" in content.read()


class Outcome:
    """The result of one run. `problem` is empty if all answers were right."""

    def __init__(self):
        self.problem, self.log = "", ""
        self.killed, self.verified, self.seconds = 0, 0, 0.0
        self.counts = dict.fromkeys([*COUNTS, *TICKERS], 0)

    def add(self, other):
        self.killed += other.killed
        self.verified += other.verified
        self.seconds += other.seconds
        for name in self.counts:
            self.counts[name] += other.counts[name]


class Arguments(argparse.Namespace):
    """Arguments of db_crashtest.py: what is not given is not set."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None


def crash_test_of(program, seed):
    """Loads db_crashtest.py. With one seed, it makes the same choices again."""
    random.seed(seed)
    sys_argv = sys.argv
    sys.argv = [program.crash_test, "--initial_random_seed_override=%d" % (seed or 1)]
    loader = importlib.machinery.SourceFileLoader("db_crashtest_%d" % seed, program.crash_test)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            loader.exec_module(module)
    finally:
        sys.argv = sys_argv
    module.stress_cmd = program.path
    return module


class Run:
    """One database: the rounds that kill db_stress, and the last one, which ends by itself."""

    def __init__(self, program, name, seed, filters, folder):
        self.program, self.kind, self.seed = program, stress_kinds.KINDS[name], seed
        self.filters, self.folder = filters, folder
        self.outcome = Outcome()

    def environment(self):
        result = dict(os.environ, TEST_TMPDIR=self.folder)
        if self.filters == stress_kinds.OURS:
            result.update(self.kind.preload, LD_PRELOAD=self.program.preload, BLOOMLINE_VERBOSE="1")
        return result

    def command_of(self, module, parameters, last, kill_odds, operations):
        parameters = dict(parameters, db=self.folder + "/db",
                          expected_values_dir=self.folder + "/expected", seed=self.seed,
                          ops_per_thread=operations if last else 100000000, reopen=0)
        # db_crashtest.py of late versions sets it, and a db_stress without assertions refuses it.
        if not self.program.has_assertions and "metadata_read_fault_one_in" in parameters:
            parameters["metadata_read_fault_one_in"] = 0
        for name, value in self.kind.if_known.items():
            if name in parameters:
                parameters[name] = value
        # DB::Close of RocksDB 9.10 can wait for ever for the thread that recovers from a failed
        # write, which waits for a flush that nobody has scheduled (compare its issue 15030). Killed
        # rounds have these faults.
        for name in WRITE_FAULTS if last else ():
            if name in parameters:
                parameters[name] = 0
        if kill_odds:
            parameters["kill_random_test"] = kill_odds
        more = []
        if self.kind.policy:
            path = self.folder + "/options"
            with open(path, "w") as out:
                out.write(stress_kinds.option_file(self.program.version, self.seed, self.filters,
                                                   self.kind.policy))
            more = ["--options_file=" + path]
        command = module.gen_cmd(parameters, more)
        return command[0] if isinstance(command, tuple) else command

    def round(self, command, kill_after):
        """Runs db_stress. Kills it after some seconds if it is not to end by itself."""
        output = os.path.join(self.folder, "output")
        with open(output, "w") as out:
            process = subprocess.Popen(command, stdout=out, stderr=out, cwd=self.folder,
                                       env=self.environment())
            killed = False
            try:
                process.wait(kill_after or AT_MOST_SECONDS)
            except subprocess.TimeoutExpired:
                killed = True
            finally:
                process.send_signal(signal.SIGKILL)  # does nothing if it has ended
                process.wait()
        with open(output, errors="replace") as text:
            log = text.read()
        self.judge(command, process.returncode, log, kill_after, killed)

    def judge(self, command, status, log, kill_after, killed):
        """`killed`: `round` has killed the process, whose time was over. Without it, kill -9 came
        from another, such as a system without memory."""
        outcome = self.outcome
        wrong = wrong_line(log, self.program.version)
        if killed and kill_after is None:
            outcome.problem = "did not end within %d s" % AT_MOST_SECONDS
        elif wrong:
            outcome.problem = wrong
        elif kill_after is not None:
            if killed and status == -signal.SIGKILL or \
                    status == -signal.SIGTERM and KILL_POINT in log:
                outcome.killed += 1
            else:
                outcome.problem = "ended with status %d before the kill" % status
        elif status != 0 or self.kind.verified not in log:
            outcome.problem = "ended with status %d, without a successful verification" % status
        else:
            for name, pattern in COUNTS.items():
                outcome.counts[name] += sum(map(int, re.findall(pattern, log)))
            for name, tickers in TICKERS.items():
                for ticker in tickers:
                    found = re.search(r"^rocksdb\.%s COUNT : (\d+)" % re.escape(ticker), log, re.M)
                    outcome.counts[name] += int(found.group(1)) if found else 0
        # Otherwise a run of ours would be one of stock. On a busy machine, a kill may come before
        # db_stress opens the database.
        said = "knows filter_policy=bloomline" if self.kind.policy else \
            "RocksDB filters of %s: " % os.path.basename(self.program.path)
        if not outcome.problem and self.filters == stress_kinds.OURS and kill_after is None:
            if said not in log or "new files get its own" in log:
                outcome.problem = "bloomline's filters were not used"
            elif outcome.counts["rejected"] == 0:
                outcome.problem = "bloomline's filters never answered 'no'"
        if outcome.problem:
            outcome.log = " ".join(command) + "\n" + log
        elif kill_after is None:
            outcome.verified += 1

    def start(self, kills, kill_seconds, operations):
        """Kills the program `kills` times after up to `kill_seconds`. Returns the outcome."""
        began = time.monotonic()
        os.makedirs(self.folder + "/expected")
        os.makedirs(self.folder + "/db")
        os.environ["TEST_TMPDIR"] = self.folder
        os.environ["DEBUG_LEVEL"] = "1" if self.program.has_assertions else "0"
        module = crash_test_of(self.program, self.seed)
        moments = random.Random(self.seed)
        parameters = self.kind.parameters
        bits = round(moments.uniform(5, 20), 1)
        arguments = Arguments(test_type="blackbox", bloom_bits=bits,
                              test_best_efforts_recovery=False, **parameters)
        for name, value in self.kind.crash_test.items():
            setattr(arguments, name, value)
        chosen = module.gen_cmd_params(arguments)
        for _ in range(kills):
            # White box: db_stress kills itself at one of RocksDB's kill points.
            odds = moments.choice([888887, 88889, 8889]) if self.program.has_assertions and \
                moments.random() < 0.5 else 0
            command = self.command_of(module, chosen, False, odds, operations)
            self.round(command, moments.uniform(0.3, 1) * kill_seconds)
            if self.outcome.problem:
                break
        if not self.outcome.problem:
            self.round(self.command_of(module, chosen, True, 0, operations), None)
        self.outcome.seconds = time.monotonic() - began
        return self.outcome


def compare(program, name, seed, folder, *size):
    """Runs ours and stock with one seed. Returns both outcomes; keeps the folder of a failure."""
    outcomes = []
    for filters in (stress_kinds.OURS, stress_kinds.STOCK):
        path = os.path.join(folder, "%s-%d-%s" % (name, seed, filters.split("'")[0]))
        outcome = Run(program, name, seed, filters, path).start(*size)
        if outcome.problem:
            with open(path + ".log", "w") as out:
                out.write(outcome.log)
        else:
            shutil.rmtree(path)
        outcomes.append(outcome)
    return outcomes


def notices_lost_keys(program, seed, folder, *size):
    """Whether db_stress notices scans that lose keys, with one of three seeds: with some options,
    few scans lose a key. Another failure is no proof.
    """
    for chosen in range(seed, seed + 3):
        path = os.path.join(folder, "losing")
        outcome = Run(program, "scans", chosen, stress_kinds.LOSING, path).start(*size)
        shutil.rmtree(path)
        if is_lost_key(outcome.problem):
            return True
    return False
