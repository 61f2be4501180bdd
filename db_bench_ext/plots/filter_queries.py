"""Rows of filters.csv: queries for missing keys."""
import tables

# The best first.
KERNELS = ("avx512", "avx2", "neon", "popcnt", "portable")
BUILDS = ("native", "packaged")


def select(rows):
    """One query per call, from one thread."""
    return [row for row in rows
            if row["kind"] == "query" and row["mode"] == "single" and row["hit_percent"] == "0"
            and row["offset"] == "16" and row["threads"] == "1"]


def best(rows):
    """The subjects to compare: each filter in the best variant that was measured."""
    measured = {row["subject"] for row in rows}

    def choose(family, variants):
        for variant in variants:
            if f"{family} {variant}" in measured:
                return f"{family} {variant}"
        raise tables.Missing(f"no queries of {family!r}")

    return {"builtin-bloom": choose("Bloom", BUILDS), "builtin-ribbon": choose("Ribbon", BUILDS),
            "blocked": choose("blocked", KERNELS), "compact": choose("compact", KERNELS)}
