#include "src/rocksdb/bits_reader.h"

#include <algorithm>
#include <new>

#include "src/core/format.h"
#include "src/core/payload.h"
#include "src/kernels/kernel.h"
#include "src/kernels/lines.h"
#include "src/rocksdb/slice_view.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

// The layout that matters: nothing is decided per key but by the key.
class BlockedReader : public FilterBitsReader {
 public:
  BlockedReader(const core::Payload& payload, const kernels::Kernel& kernel)
      : lines_(core::AsBlocked(payload, payload.data, payload.num_bytes)),
        may_match_(kernel.blocked_may_match),
        may_match_many_(kernel.blocked_may_match_many),
        seed_(payload.seed) {}

  __attribute__((flatten)) bool MayMatch(const Slice& entry) override {
    return may_match_(lines_, core::Hash64(View(entry), seed_));
  }

  __attribute__((flatten)) void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    constexpr int kBatchKeys = static_cast<int>(kernels::kBatchKeys);
    uint64_t hashes[kBatchKeys];
    for (int start = 0; start < num_keys; start += kBatchKeys) {
      const int count = std::min(kBatchKeys, num_keys - start);
      for (int i = 0; i < count; ++i) {
        hashes[i] = core::Hash64(View(*keys[start + i]), seed_);
        kernels::PrefetchLine(lines_.data, lines_.num_lines, kernels::kLineBytes, hashes[i]);
      }
      may_match_many_(lines_, static_cast<size_t>(count), hashes, may_match + start);
    }
  }

 private:
  const kernels::BlockedLines lines_;
  decltype(kernels::Kernel::blocked_may_match) const may_match_;
  decltype(kernels::Kernel::blocked_may_match_many) const may_match_many_;
  const uint64_t seed_;
};

// Everything else: other layouts, no keys, bytes that make no sense.
class AnyReader : public FilterBitsReader {
 public:
  AnyReader(const core::Payload& payload, const kernels::Kernel& kernel)
      : payload_(payload), kernel_(kernel) {}

  bool MayMatch(const Slice& entry) override {
    return core::HashMayMatch(payload_, kernel_,
                              core::LayoutHash(payload_.layout, View(entry), payload_.seed));
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    for (int i = 0; i < num_keys; ++i) may_match[i] = MayMatch(*keys[i]);
  }

 private:
  const core::Payload payload_;
  const kernels::Kernel& kernel_;
};

}  // namespace

FilterBitsReader* NewRocksDBBitsReader(std::string_view filter) {
  const core::Payload payload = core::DecodeStandalone(filter);
  const kernels::Kernel& kernel = kernels::ActiveKernel();
  if (payload.layout == core::Layout::kBlocked && payload.num_bytes != 0) {
    return new (std::nothrow) BlockedReader(payload, kernel);
  }
  return new (std::nothrow) AnyReader(payload, kernel);
}

}  // namespace bloomline
