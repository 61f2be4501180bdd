#include "tests/engines/matrix/filters.h"

#include <rocksdb/convenience.h>

#include <utility>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/bits_builder.h"
#include "tests/engines/forwarding_policy.h"
#include "tests/engines/matrix/keys.h"

namespace bloomline::matrix {
namespace {

using rocksdb::FilterBitsBuilder;
using rocksdb::FilterBitsReader;
using rocksdb::FilterBuildingContext;
using rocksdb::Slice;
using tests::ForwardingBuilder;
using tests::ForwardingPolicy;

constexpr double kReferenceBits = 50;

bool IsOneOf(const Slice& entry, size_t n) {
  return Random(0, {entry.data(), entry.size()}).OneIn(n);
}

// Drops prefixes, or what seems to be added twice.
class DefectiveBuilder : public ForwardingBuilder {
 public:
  DefectiveBuilder(FilterBitsBuilder* builder, Defect defect)
      : ForwardingBuilder(builder), defect_(defect) {}
  void AddKey(const Slice& key) override {
    if (defect_ == Defect::kPrefix && key.size() == kPrefixBytes && IsOneOf(key, 8)) return;
    if (defect_ == Defect::kDuplicate && has_last_ && key == last_) return;
    last_ = key.ToString();
    has_last_ = true;
    ForwardingBuilder::AddKey(key);
  }
#if BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    ForwardingBuilder::AddKey(key);
    AddKey(alt);
  }
#endif

 private:
  const Defect defect_;
  std::string last_;
  bool has_last_ = false;
};

class DefectiveReader : public FilterBitsReader {
 public:
  DefectiveReader(FilterBitsReader* reader, Defect defect) : reader_(reader), defect_(defect) {}
  bool MayMatch(const Slice& entry) override {
    return reader_->MayMatch(entry) && !(defect_ == Defect::kReader && IsOneOf(entry, 1000));
  }
  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    reader_->MayMatch(num_keys, keys, may_match);
    for (int i = 0; i < num_keys && defect_ == Defect::kReader; ++i) {
      may_match[i] = may_match[i] && !IsOneOf(*keys[i], 1000);
    }
    if (defect_ == Defect::kBatch && num_keys >= 32) may_match[num_keys - 1] = false;
  }

 private:
  const std::unique_ptr<FilterBitsReader> reader_;
  const Defect defect_;
};

const char* OptionString(Filter filter) {
  switch (filter) {
    case Filter::kBlocked:
      return "{id=bloomline;format=blocked;bits_per_key=10}";
    case Filter::kCompact:
      return "{id=bloomline;format=compact;bits_per_key=10}";
    case Filter::kAuto:
      return "{id=bloomline;format=compact;bits_per_key=10;bits_by_level=auto}";
    case Filter::kList:
      return "{id=bloomline;format=blocked;bits_by_level=24:20:16:12:9}";
    case Filter::kGaps:
      return "{id=bloomline;format=compact;bits_by_level=16:0:12:0:8}";
    case Filter::kFlush:
      return "{id=bloomline;format=compact;bits_per_key=10;flush_format=blocked}";
    case Filter::kNoBottom:
      return "{id=bloomline;format=compact;bits_by_level=20:16:12;filters_at_bottom=false}";
    case Filter::kBloom:
      return "bloomfilter:10:false";
    case Filter::kRibbon:
      return "ribbonfilter:10:-1";
  }
  return "";
}

Policy FromString(const std::string& text, std::string* error) {
  RegisterBloomline();
  Policy policy;
  const rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), text, &policy);
  if (!status.ok() || policy == nullptr) {
    *error = text + ": " + status.ToString();
    return nullptr;
  }
  return policy;
}

// RocksDB's Ribbon builder, in late versions also its Bloom builder, gives no bytes to a partition
// without entries. MultiGet cannot read that: with assertions it aborts, and the whole program with
// it. So such a partition gets a filter of ours, which matches nothing. Partitions are cut where
// `sizes` cuts them, if it is given.
class StockBuilder : public ForwardingBuilder {
 public:
  explicit StockBuilder(FilterBitsBuilder* builder, FilterBitsBuilder* sizes = nullptr)
      : ForwardingBuilder(builder), sizes_(sizes) {}
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    const Slice filter = ForwardingBuilder::Finish(buf, status);
    if (!filter.empty()) return filter;
    return RocksDBBitsBuilder(FilterOptions(), false).Finish(buf, status);
  }
  size_t ApproximateNumEntries(size_t bytes) override {
    return sizes_ == nullptr ? ForwardingBuilder::ApproximateNumEntries(bytes)
                             : sizes_->ApproximateNumEntries(bytes);
  }
  size_t CalculateSpace(size_t n) override {
    return sizes_ == nullptr ? ForwardingBuilder::CalculateSpace(n) : sizes_->CalculateSpace(n);
  }

 private:
  const std::unique_ptr<FilterBitsBuilder> sizes_;
};

class TwoPolicies : public ForwardingPolicy {
 public:
  TwoPolicies(Policy builders, Policy readers, Defect defect)
      : ForwardingPolicy(std::move(builders)), readers_(std::move(readers)), defect_(defect) {}
  FilterBitsBuilder* GetBuilderWithContext(const FilterBuildingContext& context) const override {
    FilterBitsBuilder* const builder = ForwardingPolicy::GetBuilderWithContext(context);
    if (builder == nullptr) return nullptr;
    FilterBitsBuilder* const with_bytes = new StockBuilder(builder);
    const bool is_defective = defect_ == Defect::kPrefix || defect_ == Defect::kDuplicate;
    return is_defective ? new DefectiveBuilder(with_bytes, defect_) : with_bytes;
  }
  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    FilterBitsReader* const reader = readers_->GetFilterBitsReader(contents);
    return reader == nullptr ? nullptr : new DefectiveReader(reader, defect_);
  }

 private:
  const Policy readers_;
  const Defect defect_;
};

class ReferencePolicy : public ForwardingPolicy {
 public:
  ReferencePolicy(Policy stock, Policy sizes)
      : ForwardingPolicy(std::move(stock)), sizes_(std::move(sizes)) {}
  FilterBitsBuilder* GetBuilderWithContext(const FilterBuildingContext& context) const override {
    FilterBitsBuilder* const sizes = sizes_->GetBuilderWithContext(context);
    if (sizes == nullptr) return nullptr;
    return new StockBuilder(ForwardingPolicy::GetBuilderWithContext(context), sizes);
  }

 private:
  const Policy sizes_;
};

}  // namespace

bool ParseDefect(const std::string& name, Defect* defect, std::string* error) {
  constexpr const char* kNames[] = {"none", "reader", "batch", "prefix", "duplicate"};
  int i = 0;
  for (const char* known : kNames) {
    if (name == known) {
      *defect = static_cast<Defect>(i);
      return true;
    }
    ++i;
  }
  *error = "defect is '" + name + "'; allowed: none, reader, batch, prefix, duplicate";
  return false;
}

Policy NewCellPolicy(Filter filter, Defect defect, std::string* error) {
  Policy builders = FromString(OptionString(filter), error);
  if (builders == nullptr) return nullptr;
  const bool is_stock = filter == Filter::kBloom || filter == Filter::kRibbon;
  if (!is_stock && defect == Defect::kNone) return builders;
  Policy readers = FromString(OptionString(Filter::kBlocked), error);
  if (readers == nullptr) return nullptr;
  return std::make_shared<TwoPolicies>(std::move(builders), std::move(readers), defect);
}

Policy NewReferencePolicy(Filter filter, std::string* error) {
  Policy sizes = FromString(OptionString(filter), error);
  if (sizes == nullptr) return nullptr;
  Policy stock(rocksdb::NewBloomFilterPolicy(kReferenceBits));
  return std::make_shared<ReferencePolicy>(std::move(stock), std::move(sizes));
}

}  // namespace bloomline::matrix
