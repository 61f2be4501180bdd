"""What `bloomline db` must say of a database."""
import json
import shutil
import subprocess
import time

import machine


class Tool:
    def __init__(self, path):
        self.path = path

    def __call__(self, command, folder, *options):
        """The JSON of `bloomline db COMMAND FOLDER`. AssertionError if it failed."""
        done = subprocess.run([str(self.path), "db", command, "--json", *options, str(folder)],
                              capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, \
            f"db {command}: exit code {done.returncode}: {done.stderr or done.stdout}"[:2000]
        return json.loads(done.stdout)


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def has_tables(folder):
    """db_bench makes a database, removes it, and makes it again, before it writes anything."""
    try:
        return any(path.suffix in (".sst", ".ldb") for path in folder.iterdir())
    except FileNotFoundError:
        return False


def check_while_running(tool, made):
    """Asks until the owner has ended. Returns how often, and how many files vanished meanwhile."""
    rounds = vanished = 0
    while made.owner is not None and made.owner.is_running():
        if not has_tables(made.folder):
            time.sleep(0.01)
            continue
        for command in ("inspect", "measure", "verify"):
            answer = tool(command, made.folder)
            vanished += len(answer.get("vanished", []))
            if command == "verify":
                check(answer["lost"] == 0, f"verify, running: {answer['lost']} lost keys")
        rounds += 1
    return rounds, vanished


def layouts_of(answer):
    return {layout["layout"] for database in answer["databases"]
            for file in database["files"] for layout in file["layouts"]}


def check_afterwards(tool, made):
    """Returns the answers of inspect, measure and verify."""
    answers = {command: tool(command, made.folder) for command in ("inspect", "measure", "verify")}
    verified = answers["verify"]
    check(verified["lost"] == 0, f"{verified['lost']} lost keys")
    check(not verified["not_checked"], f"not checked: {verified['not_checked']}")
    layouts = layouts_of(answers["inspect"])
    check(layouts == made.layouts, f"layouts {layouts}; expected: {made.layouts}")
    if made.layouts:
        check(verified["keys_checked"] > 0, "verify checked no key")
        check("partly" in made.features or verified["files_without_filter"] == 0, "verify found files without a filter")
    if made.layouts and made.keys is not None and "only prefixes" not in made.features:
        check(verified["keys_checked"] == made.keys,
              f"{verified['keys_checked']} keys; written: {made.keys}")
    if "prefixes" in made.features:
        check(verified["prefixes_checked"] > 0, "verify checked no prefix")
    return answers


def check_count(tool, made):
    """Compares with the number of keys that LevelDB counts, in a compacted copy. A compaction may
    leave some deletions."""
    machine.install("python3-plyvel")
    import plyvel  # pylint: disable=import-outside-toplevel
    copy = machine.WORK / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(made.folder, copy)
    opened = plyvel.DB(str(copy), bloom_filter_bits=10)
    opened.compact_range()
    keys = sum(1 for _ in opened.iterator(include_value=False))
    opened.close()
    verified = tool("verify", copy)
    check(keys <= verified["keys_checked"] <= keys + 10,
          f"{verified['keys_checked']} keys in a compacted copy; LevelDB counts {keys}")
    shutil.rmtree(copy)
    return keys
