#include "src/engines/rocksdb/query_sample/query_sample.h"

#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "src/filter/metrics/sampling.h"
#include "src/support/out_of_memory.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

// A std::string, and what malloc adds.
constexpr size_t kBytesBesideKey = 64;

// Samples queries whatever the answer is. Of the "no" answers alone, there would be no key that the
// filter of a file falsely matches: in a database of one level, the false-positive rate of the
// sample would be 0.
class SamplingReader final : public FilterBitsReader {
 public:
  SamplingReader(std::unique_ptr<FilterBitsReader> reader, uint32_t one_of,
                 std::shared_ptr<QuerySample> sample)
      : reader_(std::move(reader)), one_of_(one_of), sample_(std::move(sample)) {}

  bool MayMatch(const Slice& entry) override {
    if (Next() == 0) Add(entry);
    return reader_->MayMatch(entry);
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    for (uint64_t i = Next(); i < static_cast<uint64_t>(num_keys); i += one_of_) Add(*keys[i]);
    reader_->MayMatch(num_keys, keys, may_match);
  }

 private:
  // From 0 to one_of - 1, each as often.
  uint64_t Next() const { return (filter::ThreadRandom() >> 32) * one_of_ >> 32; }

  __attribute__((noinline)) void Add(const Slice& entry) const {
    // The range extractor's prefixes are empty, and no bytes are where they point.
    if (!entry.empty() && !filter::Uncounted::IsOn()) sample_->Add(entry.ToStringView());
  }

  const std::unique_ptr<FilterBitsReader> reader_;
  const uint64_t one_of_;
  const std::shared_ptr<QuerySample> sample_;  // the reader may outlive its policy
};

}  // namespace

void QuerySample::Add(std::string_view key) {
  if (key.size() > kMaxKeyBytes) return;
  support::OrIfOutOfMemory(false, [&] {
    std::string copy(key);
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    keys_.push_back(std::move(copy));
    bytes_ += key.size() + kBytesBesideKey;
    for (; bytes_ > kMaxBytes; keys_.pop_front()) bytes_ -= keys_.front().size() + kBytesBesideKey;
    return true;
  });
}

std::vector<std::string> QuerySample::Keys() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {keys_.begin(), keys_.end()};
}

FilterBitsReader* WithSample(FilterBitsReader* reader, uint32_t one_of,
                             const std::shared_ptr<QuerySample>& sample) {
  if (one_of == 0 || reader == nullptr) return reader;
  auto* const memory = ::operator new(sizeof(SamplingReader), std::nothrow);
  if (memory == nullptr) return reader;
  return new (memory) SamplingReader(std::unique_ptr<FilterBitsReader>(reader), one_of, sample);
}

}  // namespace bloomline
