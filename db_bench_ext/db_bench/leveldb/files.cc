#include "db_bench_ext/db_bench/leveldb/files.h"

#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "db_bench_ext/compare/leveldb_table_file.h"
#include "leveldb/db.h"

namespace bloomline::bench {
namespace {

constexpr int kLevels = 7;

std::unique_ptr<leveldb::DB> Open(const std::string& directory) {
  leveldb::DB* db = nullptr;
  const leveldb::Status status = leveldb::DB::Open(leveldb::Options(), directory, &db);
  if (!status.ok()) throw std::runtime_error(status.ToString());
  return std::unique_ptr<leveldb::DB>(db);
}

uint64_t CountKeys(leveldb::DB* db) {
  const std::unique_ptr<leveldb::Iterator> at(db->NewIterator(leveldb::ReadOptions()));
  uint64_t num_keys = 0;
  for (at->SeekToFirst(); at->Valid(); at->Next()) ++num_keys;
  if (!at->status().ok()) throw std::runtime_error(at->status().ToString());
  return num_keys;
}

int CountLevels(leveldb::DB* db) {
  int levels = 0;
  for (int level = 0; level < kLevels; ++level) {
    std::string files;
    if (db->GetProperty("leveldb.num-files-at-level" + std::to_string(level), &files) &&
        files != "0")
      ++levels;
  }
  return levels;
}

}  // namespace

void PrintFiles(const std::string& directory) {
  uint64_t num_keys = 0;
  int num_levels = 0;
  {
    const std::unique_ptr<leveldb::DB> db = Open(directory);
    num_keys = CountKeys(db.get());
    num_levels = CountLevels(db.get());
  }
  FilterSummary sum;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".ldb") continue;
    const FilterSummary of_file = ReadLevelDBFilters(entry.path().string());
    sum.block_bytes += of_file.block_bytes;
    sum.filter_bytes += of_file.filter_bytes;
    sum.num_filters += of_file.num_filters;
  }
  std::printf("files        : %" PRIu64 " keys, %d levels, %" PRIu64 " filters, %" PRIu64
              " filter bytes, %" PRIu64 " with offsets\n",
              num_keys, num_levels, sum.num_filters, sum.filter_bytes, sum.block_bytes);
}

}  // namespace bloomline::bench
