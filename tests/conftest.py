"""What pytest does besides in this project: it replays `*.cases`, texts of what commands print.

A file of cases has comments, titles and commands for bash:

    # Why it is asked.
    == A title. What follows is one test, in an empty folder of its own.
    $ bloomline query filter --quiet <keys
    > this line continues the command
    | a line of stdout
    ! a line of stderr
    = 1, the exit code if it is not 0

What stands above the first title begins each of its commands. The programs of the build are in
PATH, TESTS is the folder of the tests, stdin is empty, and $PWD stands for the folder in what is
printed. `--rewrite-cases` writes what is printed now.
"""
import difflib
import os
import pathlib
import subprocess
import tempfile

import pytest

TESTS = pathlib.Path(__file__).parent


def pytest_addoption(parser):
    parser.addoption("--build", type=pathlib.Path, default=TESTS.parent / "build/dev",
                     help="the folder of the build whose programs are tested")
    parser.addoption("--rewrite-cases", action="store_true",
                     help="write what commands print now into the files of cases, for review")


def pytest_configure(config):
    if not (config.getoption("build") / "bloomline").exists():
        raise pytest.UsageError(f"no bloomline in {config.getoption('build')}; see --build")


def pytest_collect_file(file_path, parent):
    return CasesFile.from_parent(parent, path=file_path) if file_path.suffix == ".cases" else None


@pytest.fixture(name="build", scope="session")
def build_folder(request):
    return request.config.getoption("build").resolve()


def environment(build):
    """That of a command: without the variables that bloomline reads."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BLOOMLINE_")}
    return {**kept, "LC_ALL": "C.UTF-8", "TESTS": str(TESTS),
            "PATH": f"{build}:{build}/tests:{os.environ['PATH']}"}


def marked(mark, output, folder):
    """Its lines, each after the mark; the last one says if it has no end."""
    lines = output.decode(errors="backslashreplace").replace(folder, "$PWD").split("\n")
    last = lines.pop()
    printed = [f"{mark} {line}" if line else mark for line in lines]
    return printed + ([f"{mark}\\{last}"] if last else [])


class CasesFile(pytest.File):
    def collect(self):
        self.head, *texts = ("\n" + self.path.read_text()).split("\n== ")
        preamble = "\n".join(line for line in self.head.splitlines() if not line.startswith("#"))
        self.cases = [Case.from_parent(self, name=text.split("\n", 1)[0], text=text,
                                       preamble=preamble) for text in texts]
        return self.cases

    def rewrite(self):
        self.path.write_text("\n== ".join([self.head, *(case.text for case in self.cases)])[1:])


class Case(pytest.Item):
    def __init__(self, *, text, preamble, **others):
        super().__init__(**others)
        self.text, self.preamble = text, preamble

    def runtest(self):
        with tempfile.TemporaryDirectory() as folder:
            self.replay(os.path.realpath(folder), self.config.getoption("build").resolve())

    def replay(self, folder, build):
        printed, lines = [], self.text.rstrip("\n").splitlines()
        for i, line in enumerate(lines):
            if line[:1] not in "|!=" or i == 0:
                printed.append(line)
            if line[:2] in ("$ ", "> "):
                command = line[2:] if line[0] == "$" else command + "\n" + line[2:]
                if lines[i + 1:i + 2] and lines[i + 1].startswith("> "):
                    continue
                done = subprocess.run(
                    ["bash", "-c", f"set -o pipefail\n{self.preamble}\n{command}"], cwd=folder,
                    env=environment(build), stdin=subprocess.DEVNULL, capture_output=True,
                    timeout=300)
                printed += marked("|", done.stdout, folder) + marked("!", done.stderr, folder)
                printed += [f"= {done.returncode}"] if done.returncode else []
        if self.config.getoption("rewrite_cases"):
            self.text = "\n".join(printed) + "\n" * (len(self.text) - len(self.text.rstrip("\n")))
            self.parent.rewrite()
        elif printed != lines:
            raise AssertionError("\n".join(difflib.unified_diff(
                lines, printed, self.path.name, "what is printed now", n=3, lineterm="")))

    def repr_failure(self, excinfo):
        if excinfo.errisinstance(AssertionError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, None, self.name
