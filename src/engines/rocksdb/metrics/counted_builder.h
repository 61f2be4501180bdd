// Builders that count their filters.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_METRICS_COUNTED_BUILDER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_METRICS_COUNTED_BUILDER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "src/engines/rocksdb/bits/bits_builder.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/engines/rocksdb/metrics/filter_origins.h"
#include "src/filter/metrics/filter_counts.h"
#include "src/support/c_error.h"

namespace bloomline {

// A Builder whose filters are counted, and recognised when they are opened (filter_origins.h). It
// overrides Finish alone, so keys cost nothing.
template <typename Builder>
class CountedBuilder final : public Builder {
 public:
  using Slice = ROCKSDB_NAMESPACE::Slice;
  using Status = ROCKSDB_NAMESPACE::Status;

  template <typename... Arguments>
  explicit CountedBuilder(filter::FilterCounts* counts, Arguments&&... arguments)
      : Builder(std::forward<Arguments>(arguments)...), counts_(counts) {}

  using Builder::Finish;
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) noexcept override {
    using Steady = std::chrono::steady_clock;
    const size_t num_keys = this->EstimateEntriesAdded();
    const bool has_seed = HasSeed();
    const Steady::time_point start = Steady::now();
    const Slice built = Builder::Finish(buf, status);
    const std::chrono::nanoseconds time = Steady::now() - start;
    if (built.empty()) return built;  // a file without keys gets no filter
    counts_->Add(filter::Count::kBuilt, 1);
    if constexpr (std::is_base_of_v<RocksDBBitsBuilder, Builder>) {
      if (this->was_limited()) {
        counts_->Add(filter::Count::kLimited, 1, filter::FilterLimit::kMaxFilterBytes);
      }
    }
    counts_->Add(filter::Count::kKeysBuilt, num_keys);
    counts_->Add(filter::Count::kBytesBuilt, built.size());
    counts_->Add(filter::Count::kNanosecondsBuilt, static_cast<uint64_t>(time.count()));
    // A partition without entries may match everything without a fault.
    if (num_keys != 0 && MatchesEverything(built.ToStringView())) {
      counts_->Add(filter::Count::kBuiltUseless, 1, Reason(has_seed, status));
    } else {
      RememberOrigin(built.ToStringView(), *counts_);
    }
    return built;
  }

 private:
  bool HasSeed() {
    if constexpr (std::is_base_of_v<RocksDBBitsBuilder, Builder>) {
      return this->writer().fault() != filter::FilterWriter::Fault::kSeed;
    }
    return true;
  }

  // The reason why the last filter matches everything.
  filter::UselessReason Reason(bool has_seed, [[maybe_unused]] const Status* status) {
    using filter::UselessReason;
    if (status != nullptr && !status->ok()) return UselessReason::kDamaged;
    return has_seed ? UselessReason::kOptions : UselessReason::kRandomSeed;
  }

  filter::FilterCounts* const counts_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_METRICS_COUNTED_BUILDER_H_
