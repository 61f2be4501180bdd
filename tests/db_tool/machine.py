"""Processes, packages and chroots, for the programs that write databases."""
import functools
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]


class Skip(Exception):
    """A program that cannot be had here; the text says why."""


def output(*command, **options):
    """What a command prints. OSError with its last words if it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          errors="replace", check=False, **options)
    if done.returncode != 0:
        words = (done.stderr or done.stdout).strip().splitlines()
        raise OSError(f"{command[0]}: exit code {done.returncode}: {words[-1] if words else ''}")
    return done.stdout


@functools.cache
def cache():
    """The folder that keeps downloads and chroots for the next run."""
    return pathlib.Path(output(PROJECT / "cmake/own_folder.sh").strip())


def install(*packages):
    try:
        output(PROJECT / "cmake/install_packages.sh", *packages)
    except OSError as error:
        raise Skip(f"cannot install {' '.join(packages)}") from error


def package_version(package):
    return output("dpkg-query", "-W", "-f=${Version}", package)


class Host:
    """Runs programs on this machine."""

    def __init__(self, *packages):
        self.packages = packages

    def prepare(self):
        install(*self.packages)
        return package_version(self.packages[0])

    def start(self, command, folder, **options):
        """`command` gets the folder of the database and returns a list of words."""
        return Process([str(word) for word in command(str(folder))], **options)

    def folder(self, name):
        return pathlib.Path(tempfile.mkdtemp(prefix=f"{name}.", dir=WORK))


class Chroot(Host):
    """Runs programs in a chroot of a Debian release (tests/debian_root)."""

    def __init__(self, release, *packages):
        super().__init__(*packages)
        self.release = release
        self.made = []

    def _words(self, *command):
        return [str(PROJECT / "tests/debian_root"), str(cache() / "roots"), self.release,
                *self.packages, "--", *command]

    def prepare(self):
        done = subprocess.run(self._words("dpkg-query", "-W", "-f=${Version}", self.packages[0]),
                              capture_output=True, text=True, check=False)
        if done.returncode == 77:
            raise Skip(done.stdout.strip().rpartition("skipped: ")[2])
        if done.returncode != 0:
            raise OSError(done.stderr)
        return done.stdout.strip().splitlines()[-1]

    def start(self, command, folder, **options):
        inside = "/" + str(folder.relative_to(cache() / "roots" / self.release))
        return Process(self._words(*(str(word) for word in command(inside))), **options)

    def folder(self, name):
        folder = pathlib.Path(tempfile.mkdtemp(
            prefix=f"{name}.", dir=cache() / "roots" / self.release / "build"))
        folder.chmod(0o777)  # some programs leave root
        self.made.append(folder)
        return folder

    def clean(self):
        for folder in self.made:
            shutil.rmtree(folder, ignore_errors=True)


class Process:
    """In a process group of its own, which stop() ends."""

    def __init__(self, words, **options):
        self.log = tempfile.TemporaryFile(dir=WORK)
        self.process = subprocess.Popen(words, stdout=self.log, stderr=subprocess.STDOUT,
                                        stdin=subprocess.DEVNULL, start_new_session=True, **options)

    def is_running(self):
        return self.process.poll() is None

    def text(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def wait(self, allowed=(0,)):
        if self.process.wait() not in allowed:
            words = self.text().strip().splitlines()
            raise OSError(f"exit code {self.process.returncode}: {words[-1] if words else ''}")
        return self

    def stop(self):
        if self.is_running():
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()


WORK = None  # set by run
