"""Reads the tables from which pictures are drawn."""
import csv


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


def missing_key_queries(rows):
    """Of filters.csv: one query per call."""
    return [row for row in rows
            if row["kind"] == "query" and row["mode"] == "single" and row["hit_percent"] == "0"]
