"""The mistakes that tests/source/mutants plants. They follow from rules: another operator, a
constant that is off by one, a condition or an answer turned round, a statement left out."""
import dataclasses
import hashlib
import os
import pathlib
import re

# The CPU feature that a kernel's tests need, by a word of the file's name.
FEATURES = {"avx2": "avx2", "avx512": "avx512_vpopcntdq", "neon": "asimd"}
# Names on lines that only cost time, or that hold no code that runs.
NOT_TESTED = re.compile(r"[Pp]refetch|Ahead|[Rr]eserve\(|__builtin_expect|^\s*(#|template\b)|\\$")
HIDDEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\])\'|'
                    r"\b(static_)?assert\([^;]*;", re.DOTALL)
OPERATORS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||",
             "||": "&&", "+": "-", "-": "+", "*": "+", "/": "*", "%": "*", "<<": ">>", ">>": "<<",
             "&": "|", "|": "&", "^": "|", "+=": "-=", "-=": "+=", "|=": "&=", "&=": "|=",
             "^=": "|=", "<<=": ">>=", ">>=": "<<="}
OPERATOR = re.compile(r"(?<= )[-<>=!&|+*/%^]+(?= |$)")
CONSTANT = re.compile(r"(?<![\w.'])\d+(?![\w.'])")
ANSWER = re.compile(r"\b(true|false)\b")
CONDITION = re.compile(r"\bif \((.*)\) (?:\{|\w.*;)$")
STATEMENT = re.compile(r"(?!\s*(return|throw|delete|else)\b)\s+[^\s=(]+( \S{0,2}= .*|\(.*\));$")


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    old: str
    new: str

    def text(self):
        return f"{self.file}:{self.line}: {self.old.strip()}  ->  {self.new.strip()}"

    def rank(self, seed):
        name = pathlib.Path(self.file).name
        return hashlib.sha256("\n".join([seed, name, self.old, self.new]).encode()).digest()


def changed_lines(line, code):
    """All mistakes of the rules in `line`. `code` is the line with spaces for what is no code."""
    def put(match, text, group=0):
        return line[:match.start(group)] + text + line[match.end(group):]

    for match in OPERATOR.finditer(code):
        if match[0] in OPERATORS:
            yield put(match, OPERATORS[match[0]])
    for match in CONSTANT.finditer(code):
        yield put(match, str(int(match[0]) + 1))
    for match in ANSWER.finditer(code):
        yield put(match, "false" if match[0] == "true" else "true")
    condition = CONDITION.search(code)
    if condition and ") " not in condition[1]:  # or it ends before
        yield put(condition, f"!({line[condition.start(1):condition.end(1)]})", 1)
    if STATEMENT.match(code):
        yield line[:len(line) - len(line.lstrip())] + ";"


def mutants_of(root, file):
    """All mistakes in `file`, a path from the folder `root`."""
    text = (root / file).read_text()
    code = HIDDEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for number, (line, visible) in enumerate(zip(text.splitlines(), code.splitlines()), 1):
        if not NOT_TESTED.search(visible):
            for new in dict.fromkeys(changed_lines(line, visible)):
                yield Mutant(file, number, line, new)


def can_run(file):
    """No test here notices a mistake in a kernel that this machine cannot run."""
    words = re.split(r"[^a-z0-9]+", pathlib.Path(file).stem)
    features = pathlib.Path("/proc/cpuinfo").read_text().split()
    return all(FEATURES[word] in features for word in words if word in FEATURES)
