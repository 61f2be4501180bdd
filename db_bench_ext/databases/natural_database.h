// A RocksDB database whose levels flushes and compactions make, as in use, and the wasted reads of
// its lookups. The workload natural measures it, and tests hold it to what is promised.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_NATURAL_DATABASE_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_NATURAL_DATABASE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/listener.h"
#include "rocksdb/options.h"
#include "rocksdb/write_batch.h"

namespace bloomline::bench {

enum class Compaction { kDynamicLevels, kStaticLevels, kUniversal };

// What a database is opened with. A new policy and a new listener have seen no file of it.
struct FilterSetup {
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  std::shared_ptr<rocksdb::EventListener> listener;  // null: none
};

// Methods throw std::runtime_error if RocksDB reports an error.
class NaturalDatabase {
 public:
  // Small, so that few keys fill several levels: files have twice the bytes of a write buffer,
  // level 1 has four times as many.
  static constexpr size_t kBufferBytes = size_t{256} << 10;

  NaturalDatabase(Compaction compaction, const FilterSetup& setup, const std::string& path,
                  size_t buffer_bytes = kBufferBytes);

  void ReopenWith(const FilterSetup& setup);

  // Writes new keys in random order until there were `num` in all.
  void GrowTo(uint64_t num);
  // Writes random keys again that are stored.
  void Overwrite(uint64_t num);
  // Deletes all of the first `num` keys but each third, unless they were deleted before.
  void DeleteTwoThirds(uint64_t num);

  void Flush();
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

  rocksdb::DB* db() const { return db_.get(); }
  uint64_t num_written() const { return num_written_; }
  // Somewhat fewer than a write buffer holds.
  uint64_t keys_of_flush() const { return options_.write_buffer_size / 90; }

 private:
  void Put(uint64_t i, std::string_view value);
  void CommitIfFull();
  void Commit();
  bool Get(uint64_t i, std::string* value);
  bool IsStored(uint64_t i) const { return i >= num_deleted_ || i % 3 == 0; }
  bool IsBusy() const;

  const Compaction compaction_;
  const std::string path_;
  rocksdb::Options options_;
  rocksdb::WriteBatch batch_;
  std::unique_ptr<rocksdb::DB> db_;
  uint64_t num_written_ = 0;  // different keys
  uint64_t num_deleted_ = 0;  // of the keys below, each third is left
  std::vector<bool> is_overwritten_;
  uint64_t random_state_ = 0;
};

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_NATURAL_DATABASE_H_
