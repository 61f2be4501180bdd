#include "src/engines/rocksdb/bits_reader.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "src/engines/rocksdb/ranges/range_extractor.h"
#include "src/filter/bits/blocks.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/trailer.h"
#include "src/filter/hash/batch_hasher.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/ranges/range_query.h"
#include "src/filter/view/hash_query.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

class BitsReader : public FilterBitsReader {
 public:
  BitsReader(const filter::Payload& payload, const kernels::Kernel& kernel,
             filter::FilterCounts* counts, size_t num_bytes)
      : filter_(filter::Opened(payload, kernel)),
        hasher_(payload.seed),
        batch_hasher_(payload.seed, kernel.hash),
        count_(counts,
               payload.always_matches() ? filter::OpenedKind::kMatchesEverything
                                        : filter::OpenedKind::kBloomline,
               num_bytes) {}

  // Short keys take a path of their own, which saves fewer registers than hashing long keys does.
  __attribute__((flatten)) bool MayMatch(const Slice& entry) noexcept override {
    if (filter::IsSampled()) return SampledMayMatch(entry);
    if (entry.size() > filter::kMaxShortKeyBytes) return LongKeyMayMatch(entry);
    return filter_.may_match(filter_, hasher_.ShortKey(entry.ToStringView()));
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) noexcept override {
    constexpr int kBatchKeys = static_cast<int>(kernels::kBatchKeys);
    if (num_keys == 1) {  // frequent, and faster without memory for hashes
      may_match[0] = MayMatch(*keys[0]);
      return;
    }
    uint64_t hashes[kBatchKeys];
    for (int start = 0; start < num_keys; start += kBatchKeys) {
      const auto count = static_cast<size_t>(std::min(kBatchKeys, num_keys - start));
      if (filter_.is_large) {
        HashAll<true>(count, keys + start, hashes);
      } else {
        HashAll<false>(count, keys + start, hashes);
      }
      filter_.may_match_many(filter_, count, hashes, may_match + start);
    }
    if (filter::IsSampled(num_keys)) AddSample(filter::Answers::kKeys, num_keys, may_match);
  }

 protected:
  __attribute__((noinline)) void AddSample(filter::Answers answers, int num_queries,
                                           const bool* may_match) const {
    const filter::Sample sample = filter::TakeSample(num_queries);
    if (sample.weight == 0) return;
    filter::FilterCounts& counts = count_.counts();
    counts.AddAnswer(answers, may_match[sample.index], sample.weight);
    if (!sample.has_random_hash) return;
    counts.AddAnswer(filter::Answers::kRandomHashes, filter_.may_match(filter_, sample.random_hash),
                     1);
  }

 private:
  __attribute__((noinline)) bool SampledMayMatch(const Slice& entry) const {
    const bool may_match = filter_.may_match(filter_, hasher_(entry.ToStringView()));
    AddSample(filter::Answers::kKeys, 1, &may_match);
    return may_match;
  }

  __attribute__((flatten, noinline)) bool LongKeyMayMatch(const Slice& entry) const {
    return filter_.may_match(filter_, hasher_.LongKey(entry.ToStringView()));
  }

  template <bool kPrefetch>
  __attribute__((flatten)) void HashAll(size_t count, Slice** keys, uint64_t* hashes) const {
    const char* const data = filter_.data;
    const uint64_t num_blocks = filter_.num_blocks;
    const uint64_t block_bytes = filter_.block_bytes;
    const auto prefetch = [=]([[maybe_unused]] uint64_t hash) {
      if constexpr (kPrefetch) kernels::PrefetchBlock(data, num_blocks, block_bytes, hash);
    };
    const auto key_at = [=](size_t i) { return keys[i]->ToStringView(); };
    if (batch_hasher_.Hash(count, key_at, hashes)) {
      for (size_t i = 0; i < count; ++i) prefetch(hashes[i]);
      return;
    }
    const filter::KeyHasher hasher = hasher_;
    for (size_t i = 0; i < count; ++i) {
      const uint64_t hash = hasher(key_at(i));
      hashes[i] = hash;
      prefetch(hash);
    }
  }

  const filter::OpenFilter filter_;
  const filter::KeyHasher hasher_;
  const filter::BatchHasher batch_hasher_;
  const filter::OpenFilterCount count_;
};

// The reader of a filter with range entries.
class RangeBitsReader final : public BitsReader {
 public:
  RangeBitsReader(const filter::Payload& payload, const filter::Extension& fields,
                  const kernels::Kernel& kernel, filter::FilterCounts* counts, size_t num_bytes,
                  std::shared_ptr<filter::AskedByFamily> asked)
      : BitsReader(payload, kernel, counts, num_bytes),
        ranges_(filter::OpenedRanges(payload, fields, kernel)),
        asked_(std::move(asked)) {}

  using BitsReader::MayMatch;
  bool MayMatch(const Slice& entry) noexcept override {
    if (!entry.empty()) return BitsReader::MayMatch(entry);
    std::string_view begin;
    std::string_view end;
    if (!LastRange(entry, &begin, &end)) return true;
    if (asked_ != nullptr) asked_->AddSampled(ranges_.field.family, begin, end);
    const bool may_match = filter::RangeMayMatch(ranges_, begin, end);
    if (filter::IsSampled()) AddSample(filter::Answers::kRanges, 1, &may_match);
    return may_match;
  }

 private:
  const filter::OpenRanges ranges_;
  const std::shared_ptr<filter::AskedByFamily> asked_;
};

}  // namespace

FilterBitsReader* NewRocksDBBitsReader(std::string_view filter, filter::FilterCounts* counts,
                                       std::shared_ptr<filter::AskedByFamily> asked) {
  filter::Extension fields;
  const filter::Payload payload = filter::DecodeTrailer(filter, nullptr, &fields);
  if (fields.ranges.empty() || payload.always_matches()) {
    if (payload.always_matches()) {
      counts->Add(filter::Count::kOpenedUseless, 1,
                  filter::SaysAlwaysMatch(filter) ? filter::UselessReason::kSaidByWriter
                                                  : filter::UselessReason::kDamaged);
    }
    return new BitsReader(payload, kernels::ActiveKernel(), counts, filter.size());
  }
  return new RangeBitsReader(payload, fields, kernels::ActiveKernel(), counts, filter.size(),
                             std::move(asked));
}

}  // namespace bloomline
