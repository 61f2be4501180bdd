// Looks for false negatives: queries a table's filters for all keys of the table.
#ifndef BLOOMLINE_DB_VERIFY_VERIFY_FILE_H_
#define BLOOMLINE_DB_VERIFY_VERIFY_FILE_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/db/key_walk.h"
#include "src/db/sstable/table.h"

namespace bloomline::db {

// In the order of kLosses (verify_command.cc).
enum class Loss {
  kKey,
  kPrefix,  // of the key
  kRange,   // a filter that has the key rejects a range that has it
  // RocksDB queries a partition of prefixes alone also for keys without one: MultiGet takes every
  // key of a partition without bytes for missing (PartitionedFilterBlockReader::MayMatch).
  kEmptyPartition,
};

// A key that its filter lacks.
struct LostKey {
  std::string key;     // user key with its timestamp
  std::string prefix;  // of kPrefix
  Loss loss = Loss::kKey;
  Place place;
  uint64_t filter = 0;  // number of the partition or range of offsets
};

struct VerifyCounts {
  uint64_t entries = 0;   // read: versions of keys, and deletions
  uint64_t keys = 0;      // different keys that were queried
  uint64_t prefixes = 0;  // different prefixes that were queried
  uint64_t ranges = 0;    // keys around which ranges were queried, in filters with entries for them
  uint64_t lost = 0;
  // Keys or prefixes that were not queried, by reason.
  struct NotChecked {
    uint64_t count = 0;
    // The engine queries a filter for them, and which one is not known here. Else it queries none.
    bool may_be_lost = false;
  };
  std::map<std::string, NotChecked> not_checked;

  void Add(const VerifyCounts& other);
  void AddNotChecked(const std::string& reason, uint64_t count, bool may_be_lost);
  bool others_may_be_lost() const;
};

struct VerifyResult {
  bool has_filter = true;
  bool has_checksums = true;
  VerifyCounts counts;
  // Why keys that count as lost may not be lost; empty if they are.
  std::string doubt;
  std::vector<LostKey> lost;  // the first ones
};

// Memory: that of KeyWalk. Returns false with *error if the table is damaged; *result has what was
// found before. Of the lost keys it lists what *listed, shared by all files, still leaves of
// max_listed.
bool VerifyFile(const sstable::Table& table, uint64_t max_listed, std::atomic<uint64_t>* listed,
                VerifyResult* result, std::string* error);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_VERIFY_VERIFY_FILE_H_
