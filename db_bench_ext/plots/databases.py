"""Pictures of compare.csv: filters in real databases."""
import rows
import style
import tables

KEYS = {"paths": "file paths", "be64": "8-byte big-endian counters", "dec16": "%016d counters"}
ENGINES = {"leveldb": "LevelDB", "rocksdb": "RocksDB"}


def select(table, engine, bits, without=("none",)):
    """Groups of rows: (title of the keys, rows)."""
    chosen = [row for row in table if row["engine"] == engine
              and row["requested_bits_per_key"] == bits and row["policy"] not in without]
    return [(KEYS.get(keys, keys), [row for row in chosen if row["keys"] == keys])
            for keys in tables.in_order(chosen, "keys")]


def false_positives(table, engine, bits):
    groups = select(table, engine, bits)

    def most(policy):
        return style.percent(rows.worst(policy, groups, "near_fpr"))

    title = (f"{ENGINES[engine]}: up to {most('builtin-bloom')} false positives with built-in "
             f"Bloom, {most('blocked')} with blocked, {most('compact')} with compact")
    picture = rows.grouped(groups, lambda row: rows.rate(row, "near_fpr", "theory_fpr"))
    rates = [tables.number(row, column) for _, group in groups for row in group
             for column in ("near_fpr", "theory_fpr")]
    return rows.picture(
        title, f"false-positive rate (log scale) for missing keys adjacent to stored ones, "
        f"{bits} bits per key; stroke: theory", picture, log=rows.decades(rates),
        tick=lambda value: f"{value:g} %")


def miss_latency(table, engine, bits):
    groups = select(table, engine, bits, without=())
    gains = []
    for _, group in groups:
        medians = {row["policy"]: tables.number(row, "near_miss_us_median") for row in group}
        without = medians.pop("none")
        gains += [without / median for median in medians.values()]
    picture = rows.grouped(groups, lambda row: rows.timed(row, "near_miss_us"))
    return rows.picture(
        f"{ENGINES[engine]}: filters make lookups of missing keys "
        f"{min(gains):.1f} to {max(gains):.1f} times as fast",
        f"microseconds per Get of a missing key adjacent to a stored one, {bits} bits per key; "
        "median, and range of the rounds", picture, bars=True)


def memory(table, engine, bits):
    """Key sets for which all filters are as large, to 0.05 bits, share a group."""
    groups = select(table, engine, bits)
    if engine == "leveldb":
        arrays = [tables.number(row, "filter_block_bits_per_key") -
                  tables.number(row, "filter_bits_per_key") for _, group in groups for row in group]
        title = (f"LevelDB: equal bits, equal memory; its array of offsets adds "
                 f"{min(arrays):.1f} to {max(arrays):.1f} bits per key")
        note = "; stroke: without the array of offsets"
    else:
        compact, bloom = (rows.worst(policy, groups, "filter_block_bits_per_key")
                          for policy in ("compact-same-fpr", "builtin-bloom"))
        title = (f"RocksDB: compact needs {compact:.2f} bits per key for the rate of Bloom's "
                 f"{bloom:.2f}")
        note = ""

    def row_of(row):
        block = tables.number(row, "filter_block_bits_per_key")
        bare = tables.number(row, "filter_bits_per_key")
        return rows.Row(style.look(row["policy"]), block,
                        other=bare if engine == "leveldb" else float("nan"), text=f"{block:.2f}")

    picture = []
    for keys, group in groups:
        new = [row_of(row) for row in group]
        for i, (heading, old) in enumerate(picture):
            if all(abs(a.value - b.value) < 0.05 for a, b in zip(old, new)):
                picture[i] = (f"{heading}, {keys}", old)
                break
        else:
            picture.append((keys, new))
    return rows.picture(title, f"bits per key as written in the SSTables, {bits} requested"
                        + note, picture, bars=True)


def pictures(results):
    table = tables.read_csv(results / "compare.csv")
    for engine in tables.in_order(table, "engine"):
        for bits in tables.in_order(table, "requested_bits_per_key"):
            for name, draw in (("fpr", false_positives), ("miss_latency", miss_latency),
                               ("memory", memory)):
                yield (f"{name}_{engine}_{bits}bits",
                       lambda draw=draw, engine=engine, bits=bits: draw(table, engine, bits))
