// A program that knows RocksDB alone, for tests/db/advice_cache_test.
// Usage: cache_client make DB FAMILY KEYS LEVEL...
//        cache_client read DB FAMILY GETS CACHE_BYTES...
// FAMILY: the options of the column family as a string. "make" writes a database whose levels, the
// deepest one first, have LEVEL=PERCENT of KEYS. "read" looks up missing keys between stored ones,
// with each size of the block cache, which also holds filters and indexes. It prints as JSON, for
// each size, the data blocks that a Get looks into ("wasted"), and the blocks of all kinds that it
// reads from files ("read").
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/db/make_databases.h"
#include "tests/engines/rocksdb_open.h"

namespace bloomline::tests {
namespace {

// Every other number is stored.
std::string Key(uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(16 - digits.size(), '0') + digits;
}

rocksdb::Options OptionsOf(const std::string& family) {
  rocksdb::ColumnFamilyOptions of_family;
  Check(rocksdb::GetColumnFamilyOptionsFromString({}, {}, family, &of_family));
  of_family.disable_auto_compactions = true;
  of_family.compression = rocksdb::kNoCompression;
  rocksdb::Options options({}, of_family);
  options.create_if_missing = true;
  return options;
}

void Make(const std::string& path, const std::string& family, uint64_t num_keys,
          const std::vector<std::string>& levels) {
  const auto db = MustOpenRocksDB(OptionsOf(family), path);
  uint64_t key = 0;
  for (const std::string& level : levels) {
    const uint64_t part = std::stoull(level.substr(level.find('=') + 1));
    for (const uint64_t end = key + num_keys * part / 100; key < end; ++key) {
      Check(db->Put({}, Key(key * 7919 % num_keys * 2), "a value"));
    }
    Check(db->Flush({}));
    std::vector<std::string> names;
    std::vector<rocksdb::LiveFileMetaData> files;
    db->GetLiveFilesMetaData(&files);
    for (const auto& file : files) {
      if (file.level == 0) names.push_back(file.name);
    }
    rocksdb::CompactionOptions options;
    options.compression = rocksdb::kDisableCompressionOption;
    options.output_file_size_limit = db->GetOptions().target_file_size_base;
    Check(db->CompactFiles(options, names, std::stoi(level)));
  }
}

// The default seed: the same keys for each database, and in each run.
Json Read(const std::string& path, const std::string& family, uint64_t num_gets,
          uint64_t cache_bytes) {
  rocksdb::Options options = OptionsOf(family);
  auto* const table = options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  table->block_cache = rocksdb::NewLRUCache(cache_bytes, /*num_shard_bits=*/0);
  table->cache_index_and_filter_blocks = true;
  options.statistics = rocksdb::CreateDBStatistics();
  rocksdb::DB* opened = nullptr;
  Check(rocksdb::DB::OpenForReadOnly(options, path, &opened));
  const std::unique_ptr<rocksdb::DB> db(opened);
  uint64_t num_keys = 0;
  db->GetAggregatedIntProperty("rocksdb.estimate-num-keys", &num_keys);
  std::mt19937_64 random;
  std::string value;
  const auto get_missing = [&] {
    const auto status = db->Get({}, Key(random() % num_keys * 2 + 1), &value);
    if (!status.IsNotFound()) Check(rocksdb::Status::Corruption("a missing key is there"));
  };
  for (uint64_t i = 0; i < num_gets / 4; ++i) get_missing();  // fills the cache
  Check(options.statistics->Reset());
  for (uint64_t i = 0; i < num_gets; ++i) get_missing();
  const auto per_get = [&](auto... tickers) {
    const uint64_t count = (options.statistics->getTickerCount(tickers) + ...);
    return static_cast<double>(count) / static_cast<double>(num_gets);
  };
  return {{"cache", cache_bytes},
          {"wasted", per_get(rocksdb::BLOCK_CACHE_DATA_HIT, rocksdb::BLOCK_CACHE_DATA_MISS)},
          {"read", per_get(rocksdb::BLOCK_CACHE_MISS)}};
}

}  // namespace
}  // namespace bloomline::tests

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  using namespace bloomline::tests;
  const std::vector<std::string> others(argv + 5, argv + argc);
  const uint64_t number = std::stoull(argv[4]);
  if (argv[1] == std::string("make")) {
    Make(argv[2], argv[3], number, others);
    return 0;
  }
  Json reads = Json::array();
  for (const std::string& cache : others) {
    reads.push_back(Read(argv[2], argv[3], number, std::stoull(cache)));
  }
  std::cout << reads << '\n';
  return 0;
}
