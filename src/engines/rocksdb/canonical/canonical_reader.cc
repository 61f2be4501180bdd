#include "src/engines/rocksdb/canonical/canonical_reader.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "src/engines/rocksdb/bits_reader.h"
#include "src/filter/container/trailer.h"
#include "src/filter/keys/canonical_keys.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

class CanonicalBitsReader final : public FilterBitsReader {
 public:
  CanonicalBitsReader(std::unique_ptr<FilterBitsReader> reader, CanonicalizerPtr canonicalizer)
      : reader_(std::move(reader)), canonicalizer_(std::move(canonicalizer)) {}

  bool MayMatch(const Slice& entry) override {
    filter::CanonicalKey key;
    key.Set(*canonicalizer_->canonicalizer(), entry.ToStringView());
    return !key.is_known() || reader_->MayMatch(key.bytes());
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    for (int start = 0; start < num_keys; start += kBatchKeys) {
      const int count = std::min(kBatchKeys, num_keys - start);
      BatchMayMatch(count, keys + start, may_match + start);
    }
  }

 private:
  static constexpr int kBatchKeys = 32;  // as many as RocksDB passes

  void BatchMayMatch(int count, Slice** keys, bool* may_match) const {
    filter::CanonicalKey canonical[kBatchKeys];
    Slice slices[kBatchKeys];
    Slice* pointers[kBatchKeys];
    for (int i = 0; i < count; ++i) {
      canonical[i].Set(*canonicalizer_->canonicalizer(), keys[i]->ToStringView());
      if (canonical[i].is_known()) slices[i] = canonical[i].bytes();
      pointers[i] = &slices[i];
    }
    reader_->MayMatch(count, pointers, may_match);
    for (int i = 0; i < count; ++i) may_match[i] = may_match[i] || !canonical[i].is_known();
  }

  const std::unique_ptr<FilterBitsReader> reader_;
  const CanonicalizerPtr canonicalizer_;
};

}  // namespace

FilterBitsReader* NewCanonicalBitsReader(std::string_view filter, CanonicalizerPtr canonicalizer,
                                         filter::FilterCounts* counts) {
  filter::Payload payload;  // matches everything
  if (canonicalizer->canonicalizer() != nullptr) {
    payload = filter::DecodeTrailer(filter, nullptr, canonicalizer->name());
  }
  std::unique_ptr<FilterBitsReader> reader(
      NewRocksDBBitsReader(payload, filter, counts, filter::UselessReason::kCanonicalizer));
  if (reader == nullptr || payload.always_matches()) return reader.release();
  return new (std::nothrow) CanonicalBitsReader(std::move(reader), std::move(canonicalizer));
}

}  // namespace bloomline
