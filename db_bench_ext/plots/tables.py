"""Reads the tables from which pictures are drawn."""
import csv
import re


class Missing(Exception):
    """The sentence says what a picture needs and does not find."""


def read_csv(path):
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        raise Missing(f"{path}: {error.strerror}") from error
    if not rows:
        raise Missing(f"{path} has no rows")
    return rows


def number(row, column):
    """NaN for what was not measured."""
    text = row[column]
    return float(text) if text else float("nan")


def in_order(rows, column):
    """The values of a column, each once, as they first occur."""
    return list(dict.fromkeys(row[column] for row in rows))


def read_markdown(path, heading):
    """The rows of the table whose first line begins with `heading`, as lists of cells."""
    rows = []
    inside = False
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith(heading):
                inside = True
            elif inside and line.startswith("|---"):
                continue
            elif inside and line.startswith("|"):
                cells = line.strip().strip("|").split("|")
                rows.append([cell.strip().strip("*") for cell in cells])
            elif inside:
                break
    if not rows:
        raise Missing(f"{path} has no table that begins with {heading!r}")
    return rows


def first_number(text):
    match = re.match(r"[0-9.]+", text)
    if match is None:
        raise Missing(f"{text!r} does not begin with a number")
    return float(match[0])


# The kernels and builds that filters.csv names, the best first.
KERNELS = ("avx512", "avx2", "neon", "portable")
BUILDS = ("native", "packaged")


def missing_key_queries(rows):
    """Of filters.csv: one query per call."""
    return [row for row in rows
            if row["kind"] == "query" and row["mode"] == "single" and row["hit_percent"] == "0"]


def best_subjects(rows):
    """The subjects of filters.csv to compare: each filter in the best variant that was measured."""
    measured = {row["subject"] for row in rows}

    def choose(family, variants):
        for variant in variants:
            if f"{family} {variant}" in measured:
                return f"{family} {variant}"
        raise Missing(f"no queries of {family!r}")

    return {"builtin-bloom": choose("Bloom", BUILDS), "builtin-ribbon": choose("Ribbon", BUILDS),
            "blocked": choose("blocked", KERNELS), "compact": choose("compact", KERNELS)}
