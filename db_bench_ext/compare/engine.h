// A database with one filter policy: the interface that measure.cc uses.
#ifndef BLOOMLINE_DB_BENCH_EXT_COMPARE_ENGINE_H_
#define BLOOMLINE_DB_BENCH_EXT_COMPARE_ENGINE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace bloomline::bench {

// kCompact takes as many bits per key as Bloom; kCompactSameRate takes what Bloom's false-positive
// rate needs.
enum class Policy { kNone, kBloom, kRibbon, kBloomline, kCompact, kCompactSameRate };

// What the files hold after the full compaction.
struct FilterSummary {
  uint64_t block_bytes = 0;   // filter blocks as written in the SSTables
  uint64_t filter_bytes = 0;  // without LevelDB's array of filter offsets
  uint64_t num_filters = 0;   // LevelDB: about one per data block; RocksDB: one per file
};

struct ReadCounts {
  uint64_t data_block_reads = 0;
  uint64_t filter_positives = 0;  // Gets for which the filter said "may match"
};

// Methods throw std::runtime_error when the engine reports an error. Not thread-safe.
class Database {
 public:
  virtual ~Database() = default;

  // Buffered in batches of kBatchRows; CompactAndReopen writes the rest.
  virtual void Put(std::string_view key, std::string_view value) = 0;

  // Compacts to one sorted run, checks that, and reopens the database. RocksDB then opens all
  // tables; LevelDB opens a table, and reads its filters, at the first Get that needs it.
  virtual void CompactAndReopen() = 0;

  // False: not found.
  virtual bool Get(const std::string& key, std::string* value) = 0;

  virtual void StartCounting() = 0;
  virtual ReadCounts StopCounting() = 0;

  virtual FilterSummary Filters() = 0;
};

constexpr int kBatchRows = 1000;

struct Engine {
  const char* name;   // for flags and CSV
  const char* title;  // for people
  std::vector<Policy> policies;
  std::unique_ptr<Database> (*open)(Policy policy, int bits_per_key, const std::string& directory);
  // Theoretical false-positive rate of these filters over num_keys keys.
  double (*theory)(Policy policy, int bits_per_key, const FilterSummary& filters,
                   uint64_t num_keys);
};

inline const char* PolicyName(Policy policy) {
  switch (policy) {
    case Policy::kNone:
      return "none";
    case Policy::kBloom:
      return "builtin-bloom";
    case Policy::kRibbon:
      return "builtin-ribbon";
    case Policy::kBloomline:
      return "bloomline";
    case Policy::kCompact:
      return "compact";
    case Policy::kCompactSameRate:
      return "compact-same-fpr";
  }
  return "?";
}

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_COMPARE_ENGINE_H_
