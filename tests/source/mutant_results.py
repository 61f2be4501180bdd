"""What tests/source/mutants has found, kept from run to run."""
import hashlib
import json
import threading


class Results:
    """Results in a file, a line each. A result holds while the file with the mistake is the same,
    and the test that noticed the mistake, or all tests if none did."""

    def __init__(self, path, root):
        self.path, self.root = path, root
        self.lock, self.hashes, self.found = threading.Lock(), {}, {}
        if path.exists():
            for line in path.read_text().splitlines():
                try:
                    result = json.loads(line)
                except ValueError:
                    continue  # a run was killed while it wrote this line
                self.found[result["mutant"], result["file"]] = result

    def key_of(self, mutant):
        if mutant.file not in self.hashes:
            content = (self.root / mutant.file).read_bytes()
            self.hashes[mutant.file] = hashlib.sha256(content).hexdigest()[:16]
        return mutant.text(), self.hashes[mutant.file]

    def any_of(self, mutant):
        """The result, whatever the tests are now, or None."""
        result = self.found.get(self.key_of(mutant))
        return result and result["by"]

    def known(self, mutant, tests, sources_hash):
        """The result, or None if the mistake must be planted. `sources_hash` is a function of
        tests."""
        by = self.any_of(mutant)
        if by is None:
            return None
        noticing = tests_that_decided(by, tests)
        if not set(noticing) <= set(tests):
            return None
        same = self.found[self.key_of(mutant)]["tests"] == sources_hash(noticing)
        return by if same else None

    def add(self, mutant, by, tests, sources_hash):
        text, file = self.key_of(mutant)
        result = {"mutant": text, "file": file, "by": by,
                  "tests": sources_hash(tests_that_decided(by, tests))}
        with self.lock:
            self.found[text, file] = result
            with open(self.path, "a") as out:
                out.write(json.dumps(result) + "\n")


def tests_that_decided(by, tests):
    if not by:
        return tests
    return [by.split(":")[0]] if ": " in by else []
