"""Requests to rewrite the filters of a database, one after the other, while db_stress uses it."""
import os
import re
import threading

# All files each time: with alternating formats, too, a level 0 that is compacted would leave none.
REQUEST = "all_files=true;include_level0=true\n"
REWRITTEN = re.compile(r"^Rewritten: (\d+)", re.MULTILINE)


class Requests:
    """Asks for a rewrite whenever none is under way, until the `with` block ends."""

    def __init__(self, database):
        self.path = os.path.join(database, "bloomline_rewrite")
        self.reports, self.files = 0, 0
        self.ended, self.failure = threading.Event(), None
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        if self.failure:
            raise self.failure
        self.count_report()

    def run(self):
        try:
            while not self.ended.wait(0.2):
                self.step()
        except OSError as failure:
            self.failure = failure

    def step(self):
        """What a killed db_stress left goes on in the next one, so it is not asked for again."""
        if os.path.exists(self.path) or os.path.exists(self.path + ".running"):
            return
        self.count_report()
        with open(self.path + ".new", "w") as out:
            out.write(REQUEST)
        os.rename(self.path + ".new", self.path)

    def count_report(self):
        try:
            with open(self.path + ".done") as text:
                self.files += sum(map(int, REWRITTEN.findall(text.read())))
            os.remove(self.path + ".done")
            self.reports += 1
        except FileNotFoundError:
            pass
