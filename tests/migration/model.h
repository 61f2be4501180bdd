// The keys of a database that migrates, and what each must answer.
#ifndef BLOOMLINE_TESTS_MIGRATION_MODEL_H_
#define BLOOMLINE_TESTS_MIGRATION_MODEL_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bloomline::tests {

struct Change {
  std::string key;
  std::string value;
  bool deletes = false;
};

// Four keys have each prefix of kPrefixBytes bytes. The keys have 15 bytes: LevelDB's own hash is
// bad on structured keys of a multiple of 4 bytes (docs/affected.md).
constexpr int kPrefixBytes = 13;

// Stored or deleted keys i < size(). A phase of writes adds keys, and overwrites and deletes some
// of the earlier ones. So a "no" of the filter of a newer file shows as an older value, or as a
// deleted key that is found.
class Model {
 public:
  explicit Model(uint64_t num_keys) : num_keys_(num_keys) {}

  static std::string Key(uint64_t i);
  static std::string MissingBeside(uint64_t i);        // has the prefix of key i
  static std::string MissingPrefixBeside(uint64_t i);  // no stored key has its prefix

  uint64_t size() const { return versions_.size(); }
  bool IsStored(uint64_t i) const { return versions_[i] != kDeleted; }
  std::string Value(uint64_t i) const;

  // The next phase. Calls `write` with batches of changes, until it returns false; returns that.
  // The first phase writes num_keys keys in four passes over the whole range, so that tables
  // overlap.
  using WriteBatch = std::function<bool(const std::vector<Change>&)>;
  bool WriteNext(const WriteBatch& write);
  // The same without the writing: another process did it.
  void SkipNext() {
    WriteNext([](const std::vector<Change>&) { return true; });
  }
  // No key is overwritten or deleted from now on. LevelDB's RepairDB takes the table with the
  // greater number for the newer one, which is wrong after a compaction, with any filter.
  void OnlyAdd() { only_adds_ = true; }

 private:
  static constexpr uint8_t kDeleted = 0;

  const uint64_t num_keys_;
  bool only_adds_ = false;
  uint8_t phase_ = 0;
  std::vector<uint8_t> versions_;  // the phase of the last write
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_MIGRATION_MODEL_H_
