// A RocksDB database whose levels flushes and compactions make, as in use, and the wasted reads of
// its lookups.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_NATURAL_DATABASE_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_NATURAL_DATABASE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db_bench_ext/databases/rocksdb_database.h"
#include "rocksdb/filter_policy.h"

namespace bloomline::bench {

enum class Compaction { kDynamicLevels, kStaticLevels, kUniversal };

// The options are small, so that few keys fill several levels. Methods throw std::runtime_error if
// RocksDB reports an error.
class NaturalDatabase : public RocksDBDatabase {
 public:
  NaturalDatabase(Compaction compaction, std::shared_ptr<const rocksdb::FilterPolicy> policy,
                  const std::string& parent);

  // Opens the database again with a policy that has seen no file of it.
  void ReopenWith(std::shared_ptr<const rocksdb::FilterPolicy> policy);

  // Writes new keys in random order until there were `num` in all.
  void GrowTo(uint64_t num);
  // Writes random keys again that are stored.
  void Overwrite(uint64_t num);
  // Deletes all of the first `num` keys but each third, unless they were deleted before.
  void DeleteTwoThirds(uint64_t num);

  // Waits for the running compactions, and starts no others until Continue.
  void Pause();
  void Continue();
  // Flushes, and waits until no compaction is left to do.
  void Rest();

  struct Reads {
    double positives = 0;  // per lookup: files for which a filter said "may match"
    double probes = 0;     // per lookup: files whose filter was queried
    uint64_t num_found = 0;
  };
  // Looks up `num` missing keys.
  Reads ReadMissing(uint64_t num);

  // A filter that loses a key hides its newest entry; an older one may then answer.
  struct Lookups {
    uint64_t num = 0;
    uint64_t num_lost = 0;  // not found, or with an old value
    uint64_t num_back = 0;  // deleted, but found
  };
  // Looks up all keys that were written.
  Lookups LookUpStoredKeys();

  uint64_t num_written() const { return num_written_; }

 private:
  bool IsStored(uint64_t i) const { return i >= num_deleted_ || i % 3 == 0; }
  bool IsBusy() const;

  const Compaction compaction_;
  uint64_t num_written_ = 0;  // different keys
  uint64_t num_deleted_ = 0;  // of the keys below, each third is left
  std::vector<bool> is_overwritten_;
  uint64_t random_state_ = 0;
};

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_NATURAL_DATABASE_H_
