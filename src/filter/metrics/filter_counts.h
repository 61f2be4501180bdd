// The counts of policies, by policy, column family and level.
#ifndef BLOOMLINE_FILTER_METRICS_FILTER_COUNTS_H_
#define BLOOMLINE_FILTER_METRICS_FILTER_COUNTS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"
#include "src/filter/metrics/sampling.h"

namespace bloomline::filter {

// Policies of the same text share their counts, so a database that is opened again continues to
// count.
struct CountsLabels {
  std::string engine;         // "rocksdb"
  std::string policy;         // "blocked:10"
  std::string column_family;  // empty: unknown
  int level = -1;             // at which the files were written; -1: unknown

  bool operator==(const CountsLabels& other) const {
    return engine == other.engine && policy == other.policy &&
           column_family == other.column_family && level == other.level;
  }
};

enum class OpenedKind { kBloomline, kRocksDB, kMatchesEverything, kEnd };

// The reason why a filter matches everything, or a file has none.
enum class UselessReason { kOptions, kDamaged, kSaidByWriter, kRandomSeed, kFormerCompact, kEnd };

// The limit that gave a filter fewer bits per key than the options say.
enum class FilterLimit { kMemory, kMaxFilterBytes, kEnd };

// Counters and gauges. metrics_text.cc has the text of each.
enum class Count {
  kOpened,  // by OpenedKind
  kOpen = kOpened + static_cast<int>(OpenedKind::kEnd),
  kOpenBytes = kOpen + static_cast<int>(OpenedKind::kEnd),
  kOpenedUseless = kOpenBytes + static_cast<int>(OpenedKind::kEnd),  // by UselessReason
  kBuiltUseless = kOpenedUseless + static_cast<int>(UselessReason::kEnd),
  kNotBuilt = kBuiltUseless + static_cast<int>(UselessReason::kEnd),
  kBuilt = kNotBuilt + static_cast<int>(UselessReason::kEnd),
  kKeysBuilt,
  kBytesBuilt,
  kNanosecondsBuilt,
  kLimited,  // by FilterLimit
  // Gauges: the bytes of all live filters under one limit, and that limit.
  kMemoryBytes = kLimited + static_cast<int>(FilterLimit::kEnd),
  kMemoryLimitBytes,
  kTablesAsked,  // by the answers of range filters: "no", "may match"
  kEnd = kTablesAsked + 2,
};

// Answers to queries, in pairs: "no", "may match".
enum class Answers { kKeys = 0, kRandomHashes = 2, kEnd = 4 };

// The filters that a policy writes, as far as they determine the false-positive rate.
struct ExpectedFilters {
  Format format;
  Format flush_format;      // of flushed files
  double bits_per_key = 0;  // 0: unknown
};

// Thread-safe and lock-free. Needs no memory.
class FilterCounts {
 public:
  explicit FilterCounts(uint16_t index, CountsLabels labels)
      : index_(index), labels_(std::move(labels)) {}

  // Adds an answer to a sampled query.
  void AddAnswer(Answers answers, bool may_match, uint32_t weight);

  template <typename Index = int>
  void Add(Count count, uint64_t n, Index index = {}) {
    At(count, index).fetch_add(n, std::memory_order_relaxed);
  }
  // Only gauges are lowered.
  template <typename Index = int>
  void Lower(Count count, uint64_t n, Index index = {}) {
    At(count, index).fetch_sub(n, std::memory_order_relaxed);
  }
  // A thread that calls expected() meanwhile may see the formats of one call and the bits of
  // another.
  void SetExpected(const ExpectedFilters& filters) {
    format_.store(filters.format, std::memory_order_relaxed);
    flush_format_.store(filters.flush_format, std::memory_order_relaxed);
    bits_per_key_.store(filters.bits_per_key, std::memory_order_relaxed);
  }

  uint64_t Get(Count count, size_t index = 0) const {
    return counts_[static_cast<size_t>(count) + index].load(std::memory_order_relaxed);
  }
  uint64_t Get(Answers answers, bool may_match) const;
  ExpectedFilters expected() const {
    return {format_.load(std::memory_order_relaxed), flush_format_.load(std::memory_order_relaxed),
            bits_per_key_.load(std::memory_order_relaxed)};
  }
  uint16_t index() const { return index_; }
  const CountsLabels& labels() const { return labels_; }

 private:
  // Each thread adds to one shard.
  struct alignas(64) Shard {
    std::atomic<uint64_t> answers[static_cast<size_t>(Answers::kEnd)] = {};
  };
  static constexpr size_t kShards = 8;

  template <typename Index>
  std::atomic<uint64_t>& At(Count count, Index index) {
    return counts_[static_cast<size_t>(count) + static_cast<size_t>(index)];
  }

  Shard shards_[kShards];
  std::atomic<uint64_t> counts_[static_cast<size_t>(Count::kEnd)] = {};
  std::atomic<Format> format_{};
  std::atomic<Format> flush_format_{};
  std::atomic<double> bits_per_key_{0};
  const uint16_t index_;
  const CountsLabels labels_;
};

// Returns the counts of these labels, which exist until the process ends. For more than kMaxCounts
// different labels, the counts have no labels. Takes a lock.
constexpr size_t kMaxCounts = 4096;
FilterCounts* CountsFor(const CountsLabels& labels);

// The counts without labels, for filters that belong to no policy.
FilterCounts* UnlabelledCounts();

// Returns all counts, from index 0 on; null for a greater index. The first one has no labels. So a
// caller who counts up meets each once, also while labels are added.
FilterCounts* CountsAt(size_t index);

// `start` is called whenever CountsFor is called: a writer of metrics starts with the first policy.
void SetMetricsStart(void (*start)());

// Whether an engine's own filters are in new files because settings are wrong: true stays true.
void SetSettingsWrong(bool wrong);
// 0 or 1; -1 if it was never set.
int SettingsWrong();

// Counts a filter as open while it exists.
class OpenFilterCount {
 public:
  OpenFilterCount(FilterCounts* counts, OpenedKind kind, size_t num_bytes)
      : counts_(counts), kind_(kind), num_bytes_(num_bytes) {
    counts_->Add(Count::kOpened, 1, kind_);
    counts_->Add(Count::kOpen, 1, kind_);
    counts_->Add(Count::kOpenBytes, num_bytes_, kind_);
  }
  ~OpenFilterCount() {
    counts_->Lower(Count::kOpen, 1, kind_);
    counts_->Lower(Count::kOpenBytes, num_bytes_, kind_);
  }
  OpenFilterCount(const OpenFilterCount&) = delete;
  OpenFilterCount& operator=(const OpenFilterCount&) = delete;

  FilterCounts& counts() const { return *counts_; }

 private:
  FilterCounts* const counts_;
  const OpenedKind kind_;
  const size_t num_bytes_;
};

// MetricsText() without the filters that are open or alive, and their limits: for a file that
// outlives the process, whose databases may be open until the end.
std::string MetricsTextAtEnd();

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_METRICS_FILTER_COUNTS_H_
