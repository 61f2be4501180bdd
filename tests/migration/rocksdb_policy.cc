#include "tests/migration/rocksdb_policy.h"

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/filter_bits_abi.h"
#include "src/filter/format/trailer.h"

namespace bloomline::tests {
namespace {

using rocksdb::Slice;

// By the byte where RocksDB's own filters have their marker.
Kind KindOfBytes(const Slice& filter) {
  if (filter::HasTrailer(filter.ToStringView())) return Kind::kOurs;
  if (filter.size() <= 5) return Kind::kOther;
  const auto marker = static_cast<signed char>(filter[filter.size() - 5]);
  if (marker == -1) return Kind::kBloom;
  if (marker == -2) return Kind::kRibbon;
  return marker > 0 ? Kind::kLegacy : Kind::kOther;
}

class CountingReader : public rocksdb::FilterBitsReader {
 public:
  CountingReader(rocksdb::FilterBitsReader* reader, Kind kind, std::shared_ptr<FilterCounts> counts,
                 const Denial& denial)
      : reader_(reader), kind_(kind), counts_(std::move(counts)), denial_(denial) {}

  bool MayMatch(const Slice& entry) override { return Judge(entry, reader_->MayMatch(entry)); }
  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    reader_->MayMatch(num_keys, keys, may_match);
    for (int i = 0; i < num_keys; ++i) may_match[i] = Judge(*keys[i], may_match[i]);
  }

 private:
  bool Judge(const Slice& entry, bool answer) {
    if (kind_ == denial_.kind && entry == denial_.key) answer = false;
    ++(answer ? counts_->yes : counts_->no)[static_cast<int>(kind_)];
    return answer;
  }

  const std::unique_ptr<rocksdb::FilterBitsReader> reader_;
  const Kind kind_;
  const std::shared_ptr<FilterCounts> counts_;
  const Denial denial_;
};

class CountingPolicy : public rocksdb::FilterPolicy {
 public:
  CountingPolicy(std::shared_ptr<const rocksdb::FilterPolicy> policy,
                 std::shared_ptr<FilterCounts> counts, const Denial& denial)
      : policy_(std::move(policy)), counts_(std::move(counts)), denial_(denial) {}
  const char* Name() const override { return policy_->Name(); }
  const char* CompatibilityName() const override { return policy_->CompatibilityName(); }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return policy_->GetBuilderWithContext(context);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    rocksdb::FilterBitsReader* const reader = policy_->GetFilterBitsReader(contents);
    return reader == nullptr ? nullptr
                             : new CountingReader(reader, KindOfBytes(contents), counts_, denial_);
  }

 private:
  const std::shared_ptr<const rocksdb::FilterPolicy> policy_;
  const std::shared_ptr<FilterCounts> counts_;
  const Denial denial_;
};

}  // namespace

std::shared_ptr<const rocksdb::FilterPolicy> NewPlainRocksDBPolicy(Filter filter) {
  using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;
  if (filter == Filter::kNone) return nullptr;
  if (filter == Filter::kRibbon) return Policy(rocksdb::NewRibbonFilterPolicy(10, -1));
  if (!IsOurs(filter)) return Policy(rocksdb::NewBloomFilterPolicy(10));
  FilterOptions options;
  if (filter == Filter::kCompact) options.format = Format::kCompact;
  return NewRocksDBFilterPolicy(options);
}

std::shared_ptr<const rocksdb::FilterPolicy> NewCountingPolicy(
    std::shared_ptr<const rocksdb::FilterPolicy> policy, std::shared_ptr<FilterCounts> counts,
    const Denial& denial) {
  if (policy == nullptr) return nullptr;
  return std::make_shared<CountingPolicy>(std::move(policy), std::move(counts), denial);
}

}  // namespace bloomline::tests
