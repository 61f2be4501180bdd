"""Pictures of db_bench.csv: the engines' own db_bench."""
import databases
import rows
import style
import tables

SHAPES = {"dec16": ", %016d neighbours", "be64": ", big-endian neighbours"}
# "classic" has the bytes of LevelDB's own filter.
HIDDEN = ("classic",)


def select(table, engine, without, is_shown):
    """Groups of rows by workload and shape of the keys. The stock program has all workloads; of the
    shapes only readmissing differs."""
    chosen = [row for row in table
              if row["engine"] == engine and row["policy"] not in HIDDEN + without
              and (row["keys"] == "stock" or row["workload"] == "readmissing") and is_shown(row)]
    groups = {}
    for row in chosen:
        groups.setdefault(row["workload"] + SHAPES.get(row["keys"], ""), []).append(row)
    return groups.items()


def speed(table, engine):
    groups = select(table, engine, ("builtin-bloom",), lambda row: row["times_bloom_median"])
    best = max((row for _, group in groups for row in group if row["workload"] == "readmissing"),
               key=lambda row: tables.number(row, "times_bloom_median"))
    picture = rows.grouped(groups, lambda row: rows.timed(row, "times_bloom"))
    return rows.picture(
        f"{databases.ENGINES[engine]}'s db_bench: {style.look(best['policy']).name} answers "
        f"{tables.number(best, 'times_bloom_median'):.2f} times as many lookups "
        "of missing keys as built-in Bloom",
        "operations per second as a multiple of built-in Bloom's in the same round; "
        "median, and range of the rounds", picture, baseline=(1, "built-in Bloom"))


def false_positives(table, engine):
    groups = select(table, engine, (), lambda row: row["fpr"] and row["policy"] != "none")
    rates = [tables.number(row, "fpr") for _, group in groups for row in group]
    compact, bloom = (style.percent(rows.worst(policy, groups, "fpr"))
                      for policy in ("compact", "builtin-bloom"))
    picture = rows.grouped(groups, lambda row: rows.rate(row, "fpr"))
    return rows.picture(
        f"{databases.ENGINES[engine]}'s db_bench: compact has up to {compact} "
        f"false positives, built-in Bloom up to {bloom}",
        "of the missing keys that were queried (log scale)", picture, log=rows.decades(rates),
        tick=lambda value: f"{value:g} %")


def pictures(results, bits):
    table = tables.read_csv(results / "db_bench.csv")
    for engine in tables.in_order(table, "engine"):
        for name, draw in (("speed", speed), ("fpr", false_positives)):
            yield (f"db_bench_{name}_{engine}_{bits}bits",
                   lambda draw=draw, engine=engine: draw(table, engine))
