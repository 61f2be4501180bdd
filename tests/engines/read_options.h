// Options of RocksDB's iterators that change how an iterator reads, not what it finds.
#ifndef BLOOMLINE_TESTS_ENGINES_READ_OPTIONS_H_
#define BLOOMLINE_TESTS_ENGINES_READ_OPTIONS_H_

#include <rocksdb/options.h>
#include <rocksdb/table_properties.h>
#include <rocksdb/version.h>

namespace bloomline::tests {

struct ReadOption {
  const char* name;
  void (*set)(rocksdb::ReadOptions* options);
};

// One at a time: RocksDB's assertions do not allow all pairs of them.
constexpr ReadOption kReadOptions[] = {
    {"the defaults", [](rocksdb::ReadOptions*) {}},
    {"readahead_size", [](rocksdb::ReadOptions* options) { options->readahead_size = 16 << 10; }},
    {"adaptive_readahead",
     [](rocksdb::ReadOptions* options) { options->adaptive_readahead = true; }},
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 701
    {"async_io", [](rocksdb::ReadOptions* options) { options->async_io = true; }},
#endif
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 806
    {"auto_readahead_size",
     [](rocksdb::ReadOptions* options) {
       options->auto_readahead_size = !options->auto_readahead_size;
     }},
#endif
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR < 1102  // 11.9: Prev crashes if scans write tombstones
    {"pin_data", [](rocksdb::ReadOptions* options) { options->pin_data = true; }},
#endif
    {"fill_cache", [](rocksdb::ReadOptions* options) { options->fill_cache = false; }},
    {"verify_checksums", [](rocksdb::ReadOptions* options) { options->verify_checksums = false; }},
    {"background_purge_on_iterator_cleanup",
     [](rocksdb::ReadOptions* options) { options->background_purge_on_iterator_cleanup = true; }},
    {"ignore_range_deletions",
     [](rocksdb::ReadOptions* options) { options->ignore_range_deletions = true; }},
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ENGINES_READ_OPTIONS_H_
