// A RocksDB database opened with options that come from elsewhere.
#ifndef BLOOMLINE_TESTS_MIGRATION_ROCKSDB_DATABASE_H_
#define BLOOMLINE_TESTS_MIGRATION_ROCKSDB_DATABASE_H_

#include <rocksdb/options.h>

#include <memory>
#include <string>

#include "tests/migration/database.h"

namespace bloomline::tests {

// It does not count the answers of filters; Database::data_blocks_read shows what they do.
std::unique_ptr<Database> OpenRocksDBWith(const rocksdb::Options& options, const Mode& mode,
                                          const std::string& path, std::string* error);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_MIGRATION_ROCKSDB_DATABASE_H_
