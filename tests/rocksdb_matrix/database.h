// The database of a cell, in memory, with files on several levels.
#ifndef BLOOMLINE_TESTS_ROCKSDB_MATRIX_DATABASE_H_
#define BLOOMLINE_TESTS_ROCKSDB_MATRIX_DATABASE_H_

#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include <memory>
#include <string>

#include "tests/rocksdb_matrix/cell.h"
#include "tests/rocksdb_matrix/filters.h"
#include "tests/rocksdb_matrix/random.h"

namespace bloomline::matrix {

// What a cell does not name: chosen by its name and the seed.
struct Settings {
  explicit Settings(Random* random);

  size_t num_keys;
  size_t block_bytes;
  size_t metadata_block_bytes;
  size_t output_file_bytes;  // of compactions to a level
  uint32_t format_version;
  bool cache_filters;  // cache_index_and_filter_blocks
  bool pin_filters;
  bool verify_filters;  // detect_filter_construct_corruption
  bool optimize_for_memory;
};

// Functions return an empty string, or what went wrong.
class Database {
 public:
  static constexpr int kBottomLevel = 4;

  Database(const Cell& cell, const Settings& settings, Policy policy);

  // Opens it, or closes it and opens it again.
  std::string Open(std::shared_ptr<const rocksdb::SliceTransform> extractor);
  std::string Flush();
  // Moves all files of level 0 to `level`.
  std::string MoveTo(int level);
  // Rewrites all files.
  std::string CompactAll();

  rocksdb::DB* db() { return db_.get(); }

 private:
  const std::unique_ptr<rocksdb::Env> env_;
  const size_t output_file_bytes_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace bloomline::matrix

#endif  // BLOOMLINE_TESTS_ROCKSDB_MATRIX_DATABASE_H_
