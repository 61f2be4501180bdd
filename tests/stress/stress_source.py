"""RocksDB's stress test with more bounded scans.

db_stress gives one scan in sixteen an upper bound, at a random key. Here half of the scans have a
bound, and half of the bounds are at most 16 keys behind the first key. Scans that db_stress compares with
the expected state end at the last compared key half of the time, and may use prefixes where
db_stress itself has none, as in later versions of RocksDB.
"""
import os
import re

# For each file: a pattern, what replaces it, and how often the pattern occurs.
CHANGES = {
    "db_stress_test_base.cc": [
        (r"if \((?:FLAGS_use_sqfc_for_range_queries \^ )?thread->rand\.OneIn\(16\)\) \{"
         r"(?=(?:\s+// With a 1/16 chance, set an iterator upper bound\.)?"
         r"\s+// Note: upper_bound can be smaller)",
         "if (thread->rand.OneIn(2)) {", 1),
        (r"(const int64_t rand_upper_key =)\s+GenerateOneKey\(thread, FLAGS_ops_per_thread\);",
         r"\1 thread->rand.OneIn(2)"
         r" ? GenerateOneKey(thread, FLAGS_ops_per_thread)"
         r" : std::min<int64_t>(rand_keys[0] + 1 + thread->rand.Uniform(16),"
         r" thread->shared->GetMaxKey());", 2),
    ],
    "no_batched_ops_stress.cc": [
        (r"max_key_str = Key\(max_key\);",
         "max_key_str = Key(thread->rand.OneIn(2) ? ub : max_key);", 1),
        (r"(?:if \(FLAGS_prefix_size > 0\) \{\s+)?(?<!read_opts\.)ro\.total_order_seek = true;"
         r"(?:\s+\})?(?=\s+std::string read_ts_str;)",
         "ro.total_order_seek = FLAGS_prefix_size > 0;", 1),
    ],
}


class NotApplied(Exception):
    """This version of db_stress reads otherwise than CHANGES presumes."""


def with_bounds(name, text):
    for pattern, replacement, times in CHANGES.get(name, []):
        text, applied = re.subn(pattern, replacement, text)
        if applied != times:
            raise NotApplied("%s: '%s' is there %d times; allowed: %d"
                             % (name, pattern, applied, times))
    return text


def write_sources(tree, folder):
    """Writes the files of db_stress_tool in a source tree of RocksDB. Returns their paths."""
    os.makedirs(folder, exist_ok=True)
    paths = []
    original = os.path.join(tree, "db_stress_tool")
    for name in sorted(os.listdir(original)):
        if not name.endswith(".cc"):
            continue
        with open(os.path.join(original, name)) as source:
            text = with_bounds(name, source.read())
        paths.append(os.path.join(folder, name))
        if os.path.exists(paths[-1]):
            with open(paths[-1]) as source:
                if source.read() == text:
                    continue  # so that it is not compiled again
        with open(paths[-1], "w") as source:
            source.write(text)
    return paths
