"""What db_stress runs with: options of db_stress, of bloomline's preload, and option files."""
import random

# Small files, so that a run of seconds has four levels and thousands of filters, and frequent use
# of what rarely happens.
COMMON = {
    "backup_one_in": 20000,
    "checkpoint_one_in": 20000,
    "column_families": 1,
    "compact_files_one_in": 5000,
    "compact_range_one_in": 5000,
    "continuous_verification_interval": 0,
    "destroy_db_initially": 0,
    "flush_one_in": 5000,
    "max_bytes_for_level_base": 1 << 20,
    "max_key": 100000,
    "set_options_one_in": 2000,
    "statistics": 1,
    "target_file_size_base": 256 << 10,
    "test_batches_snapshots": 0,
    "threads": 8,
    "verify_db_one_in": 20000,
    "verify_iterator_with_expected_state_one_in": 5,
    "write_buffer_size": 512 << 10,
}
PARTITIONS = {"partition_filters": 1, "index_type": 2}
# Options that only some versions of db_stress have.
IF_KNOWN = {
    # They need a RocksDB with LZ4 or ZSTD. Filters are never compressed.
    "compression_manager": "none",
    "compression_zstd_max_train_bytes": 0,
    # Otherwise most keys are in files without a filter.
    "optimize_filters_for_hits": 0,
    # Otherwise the counts start again at 0.
    "reset_stats_one_in": 0,
}


class Kind:
    """What one row of the table runs.

    preload      variables of bloomline's preload library
    crash_test   what db_crashtest.py is told, such as txn=True
    parameters   parameters of db_stress
    if_known     parameters that only some versions of db_stress have
    policy       the options come from a file of ours, with this policy
    """

    def __init__(self, preload=None, parameters=None, if_known=None, policy="", **crash_test):
        self.preload = preload or {}
        self.parameters = dict(COMMON, **(parameters or {}))
        self.if_known = dict(IF_KNOWN, **(if_known or {}))
        self.crash_test = crash_test
        self.policy = policy
        # What db_stress prints when all answers were right. With batches, each read compares the
        # values of ten keys, and the end verifies no more.
        self.verified = "Limited verification already done during gets" if \
            self.parameters["test_batches_snapshots"] else "Verification successful"


BLOCKED = {"BLOOMLINE_FORMAT": "blocked"}
BY_LEVEL = {"BLOOMLINE_FORMAT": "ribbon", "BLOOMLINE_BITS_BY_LEVEL": "auto"}
# What the option file cannot say, or says otherwise than the parameters.
OF_FILE = {
    "allow_setting_blob_options_dynamically": 0, "atomic_flush": 0, "disable_wal": 0,
    "enable_blob_files": 0, "enable_compaction_filter": 0, "iterpercent": 40,
    "delpercent": 4, "delrangepercent": 1, "prefix_size": -1, "prefixpercent": 0,
    "readpercent": 25, "set_options_one_in": 0, "sync_fault_injection": 0,
    "unordered_write": 0, "use_merge": 0, "use_put_entity_one_in": 0,
    "use_multiget": 0, "use_txn": 0, "verify_iterator_with_expected_state_one_in": 2,
    "writepercent": 30,
}

KINDS = {
    # With updates in place, which RocksDB 9.10 has one time in ten, db_crashtest.py makes no scans.
    "scans": Kind(parameters=OF_FILE, if_known={"inplace_update_support": 0},
                  policy="flush_format=blocked", simple=True),
    "levels": Kind(BY_LEVEL, PARTITIONS),
    "blocked": Kind(BLOCKED),
    "bloom": Kind({"BLOOMLINE_FORMAT": "bloom", "BLOOMLINE_BITS_BY_LEVEL": "auto"}),
    "ribbon": Kind(BY_LEVEL),
    "partitions": Kind(BLOCKED, PARTITIONS),
    "timestamps": Kind(BLOCKED, enable_ts=True),
    # RocksDB makes no checkpoint of transactions with some write policies.
    "transactions": Kind(BY_LEVEL, {"checkpoint_one_in": 0}, txn=True),
    # Whatever the filters, secondary instances of RocksDB 7.8.3 crash when they read a blob, and
    # cannot read a log with PutEntity.
    "secondary": Kind(BY_LEVEL, {"test_secondary": 1, "continuous_verification_interval": 1000,
                                 "enable_blob_files": 0, "use_put_entity_one_in": 0,
                                 "allow_setting_blob_options_dynamically": 0}),
    "families": Kind(BY_LEVEL, {"column_families": 10}, cf_consistency=True),
    "ingestion": Kind(BLOCKED, {"ingest_external_file_one_in": 1000, "disable_wal": 0,
                                "sync_fault_injection": 0, "manual_wal_flush_one_in": 0,
                                "use_put_entity_one_in": 0}),
    "batches": Kind(BY_LEVEL, {"test_batches_snapshots": 1, "disable_wal": 0}),
}


# Whose filters a run has. LOSING has RocksDB's, and an extractor with which scans lose keys, for
# db_stress is not told that they stay within a prefix.
OURS, STOCK, LOSING = "bloomline", "RocksDB's", "losing"


def option_file(version, seed, filters, policy):
    """Returns the text of an option file with a policy, or for runs that do not have OURS."""
    chosen = random.Random(seed)
    fmt = chosen.choice(["ribbon", "ribbon", "blocked"])
    table = {
        "block_size": chosen.choice([1024, 4096]),
        "cache_index_and_filter_blocks": chosen.choice(["false", "true"]),
        "filter_policy": "{id=bloomline;format=%s;%s}" % (fmt, policy),
        "format_version": 5,
        "metadata_block_size": chosen.choice([512, 4096]),
    }
    if chosen.random() < 0.5:
        table.update(partition_filters="true", index_type="kTwoLevelIndexSearch")
    family = {
        "level_compaction_dynamic_level_bytes": chosen.choice(["false", "true"]),
        "max_bytes_for_level_base": COMMON["max_bytes_for_level_base"],
        "target_file_size_base": COMMON["target_file_size_base"],
        "write_buffer_size": COMMON["write_buffer_size"],
    }
    if filters != OURS:
        table["filter_policy"] = "bloomfilter:10:false"
    if filters == LOSING:
        family["prefix_extractor"] = "rocksdb.FixedPrefix.8"

    def lines(values):
        return "".join("  %s=%s\n" % item for item in values.items())

    return ("[Version]\n  rocksdb_version=%d.%d.%d\n  options_file_version=1.1\n"
            "[DBOptions]\n  create_if_missing=true\n[CFOptions \"default\"]\n%s"
            "[TableOptions/BlockBasedTable \"default\"]\n%s"
            % (*version, lines(family), lines(table)))
