// A RocksDB database of five levels, written level by level, and the wasted reads of its lookups.
// The workload levels measures it, and tests compare it with what models promise.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_FIVE_LEVELS_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_FIVE_LEVELS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "bloomline/filter_account.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/statistics.h"
#include "rocksdb/table.h"

namespace bloomline::bench {

// Level 5 has `keys` keys, each level above it a tenth of the one below. The keys of all levels lie
// in the same range, so a lookup of a missing key queries the filters of all five. Methods throw
// std::runtime_error if RocksDB reports an error, or if the levels do not have their keys.
class FiveLevels {
 public:
  static constexpr int kTop = 1;
  static constexpr int kBottom = 5;
  static constexpr int kNumLevels = kBottom - kTop + 1;

  FiveLevels(const std::string& path, std::shared_ptr<const rocksdb::FilterPolicy> policy,
             uint64_t keys, const rocksdb::BlockBasedTableOptions& table = {});

  // Opens the database again with another policy. The account, if there is one, counts its files.
  void ReopenWith(std::shared_ptr<const rocksdb::FilterPolicy> policy,
                  std::shared_ptr<FilterAccount> account = nullptr);

  // The same, and rewrites each level in its place.
  void Rewrite(std::shared_ptr<const rocksdb::FilterPolicy> policy,
               std::shared_ptr<FilterAccount> account = nullptr);

  uint64_t KeysOf(int level) const;
  uint64_t num_keys() const;

  struct Filters {
    double bits_per_key[kBottom + 1] = {};  // by level; none of level 0
    double average = 0;
    uint64_t bytes = 0;
  };
  Filters filters() const;

  // The stored keys that are not found, of all levels.
  uint64_t CountLostKeys();

  struct Reads {
    double per_get = 0;          // data blocks read, for each lookup
    double positives = 0;        // filters that say "may match"
    double rejections = 0;       // filters that say "no"
    double microseconds = 0;     // per lookup
    uint64_t wrong_answers = 0;  // missing keys that are found
  };
  // Looks up `num` missing keys.
  Reads ReadMissing(uint64_t num);

 private:
  void Open();
  void WriteLevel(int level);
  void CompactTo(int level, int from);

  const std::string path_;
  std::shared_ptr<const rocksdb::FilterPolicy> policy_;
  std::shared_ptr<FilterAccount> account_;  // null: none
  const uint64_t keys_;
  const rocksdb::BlockBasedTableOptions table_;
  const std::shared_ptr<rocksdb::Statistics> statistics_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_FIVE_LEVELS_H_
