"""Draws the pictures of a bench from its CSV files, as SVG and PNG.

The scripts that run the benches call this. Needs matplotlib (Debian: python3-matplotlib).
"""
import argparse
import pathlib
import sys

try:
    import style  # noqa: F401  needs matplotlib
except ImportError as error:
    sys.exit(f"The pictures were not drawn: {error}. They need Debian's package "
             "python3-matplotlib and /usr/bin/python3. The tables are complete without them.")
import databases
import db_bench
import disk
import empty_ranges
import memory_and_rate
import queries
import tables
import wasted_reads

BENCH = pathlib.Path(__file__).resolve().parent.parent
DOCS = BENCH.parent / "docs"


def readme(results, _):
    """The pictures of README.md."""
    filters = tables.read_csv(results / "filters.csv")
    levels = tables.read_markdown(DOCS / "levels.md", wasted_reads.HEADING)
    yield "memory_and_rate", lambda: memory_and_rate.draw(filters)
    yield "wasted_reads", lambda: wasted_reads.draw(levels)
    ranges = tables.read_markdown(DOCS / "ranges.md", empty_ranges.HEADING)
    yield "empty_ranges", lambda: empty_ranges.draw(ranges)


BENCHES = {
    "databases": lambda results, _: databases.pictures(results),
    "db_bench": db_bench.pictures,
    "disk": lambda results, _: disk.pictures(results),
    "filters": lambda results, _: queries.pictures(results),
    "readme": readme,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench", choices=BENCHES, help="whose pictures; readme: those of README.md")
    parser.add_argument("--results", type=pathlib.Path, default=BENCH / "results", metavar="DIR",
                        help="folder of the CSV files (%(default)s)")
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR",
                        help="folder of the pictures (default: pictures, in the folder of the CSV "
                        "files; of readme: docs/images)")
    parser.add_argument("--bits", type=int, default=10, metavar="N",
                        help="bits per key of db_bench.csv, for the names of its pictures (10)")
    flags = parser.parse_args()
    is_readme = flags.bench == "readme"
    out = flags.out or (DOCS / "images" if is_readme else flags.results / "pictures")
    formats = ["svg"] if is_readme else ["svg", "png"]
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, draw in BENCHES[flags.bench](flags.results, flags.bits):
            try:
                draw().save(out, name, formats)
            except tables.Missing as reason:  # a run of few policies
                print(f"{name} was not drawn: {reason}", file=sys.stderr)
    except (OSError, tables.Missing) as reason:
        sys.exit(f"The pictures were not drawn: {reason}")


if __name__ == "__main__":
    main()
