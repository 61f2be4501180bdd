"""Draws the pictures of a bench from its CSV files: those of README.md as SVG, the others as PNG.

The scripts that run the benches call this. Needs matplotlib (Debian: python3-matplotlib).
"""
import argparse
import pathlib
import sys

import tables

BENCH = pathlib.Path(__file__).resolve().parent.parent
BENCHES = ("databases", "db_bench", "disk", "filters", "readme")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bench", choices=BENCHES, help="whose pictures; readme: those of README.md")
    parser.add_argument("--results", type=pathlib.Path, default=BENCH / "results", metavar="DIR",
                        help="folder of the CSV files (%(default)s)")
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR",
                        help="folder of the pictures (default: pictures, in the folder of the CSV "
                        "files; of readme: docs/images)")
    flags = parser.parse_args()
    try:
        if flags.bench == "readme":
            import readme
            out = flags.out or readme.DOCS / "images"
            out.mkdir(parents=True, exist_ok=True)
            for name, draw in readme.pictures(flags.results):
                draw().save(out / f"{name}.svg")
        else:
            import results
            out = flags.out or flags.results / "pictures"
            out.mkdir(parents=True, exist_ok=True)
            for name, drawn in getattr(results, flags.bench)(flags.results):
                drawn.savefig(out / f"{name}.png")
    except ImportError as error:
        sys.exit(f"The pictures were not drawn: {error}. They need Debian's package "
                 "python3-matplotlib and /usr/bin/python3. The tables are complete without them.")
    except (OSError, tables.Missing) as reason:
        sys.exit(f"The pictures were not drawn: {reason}")


if __name__ == "__main__":
    main()
