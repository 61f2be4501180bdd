// Readers that count their answers.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BITS_COUNTED_READER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BITS_COUNTED_READER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/metrics/filter_counts.h"

namespace bloomline {

// The reader that RocksDB queries, one for each filter. A Query has, for its filter,
//
//   static constexpr size_t kMaxShortKeyBytes
//   uint64_t ShortHash(std::string_view key) const    of at most kMaxShortKeyBytes
//   uint64_t LongHash(std::string_view key) const     of more
//   bool MayMatch(uint64_t hash) const
//   void HashMany<kPrefetch>(size_t n, Slice** keys, uint64_t* hashes) const
//   void MayMatchMany(size_t n, const uint64_t* hashes, bool* may_match) const
//
// for up to kBatchKeys keys. Some of the answers are sampled (sampling.h). Thread-safe.
template <typename Query>
class CountedReader : public ROCKSDB_NAMESPACE::FilterBitsReader {
 public:
  using Slice = ROCKSDB_NAMESPACE::Slice;

  // A filter of num_bytes bytes. `is_large`: prefetching pays.
  CountedReader(const Query& query, bool is_large, filter::FilterCounts* counts,
                filter::OpenedKind kind, size_t num_bytes)
      : query_(query), is_large_(is_large), count_(counts, kind, num_bytes) {}

  // Short keys take a separate path, which saves fewer registers than hashing long keys does.
  __attribute__((flatten)) bool MayMatch(const Slice& entry) noexcept override {
    if (filter::IsSampled()) return SampledMayMatch(entry);
    if (entry.size() > Query::kMaxShortKeyBytes) return LongKeyMayMatch(entry);
    return query_.MayMatch(query_.ShortHash(entry.ToStringView()));
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
      if (is_large_) {
        query_.template HashMany<true>(count, keys + start, hashes);
      } else {
        query_.template HashMany<false>(count, keys + start, hashes);
      }
      query_.MayMatchMany(count, hashes, may_match + start);
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
    counts.AddAnswer(filter::Answers::kRandomHashes, query_.MayMatch(sample.random_hash), 1);
  }

 private:
  __attribute__((noinline)) bool SampledMayMatch(const Slice& entry) const {
    const std::string_view key = entry.ToStringView();
    const bool may_match = query_.MayMatch(
        key.size() > Query::kMaxShortKeyBytes ? query_.LongHash(key) : query_.ShortHash(key));
    AddSample(filter::Answers::kKeys, 1, &may_match);
    return may_match;
  }

  __attribute__((flatten, noinline)) bool LongKeyMayMatch(const Slice& entry) const {
    return query_.MayMatch(query_.LongHash(entry.ToStringView()));
  }

  const Query query_;
  const bool is_large_;
  const filter::OpenFilterCount count_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BITS_COUNTED_READER_H_
