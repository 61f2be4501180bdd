#include "tests/rocksdb_matrix/filters.h"

#include <rocksdb/convenience.h>

#include <utility>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/bits_builder.h"
#include "tests/rocksdb_matrix/forwarding_builder.h"

namespace bloomline::matrix {
namespace {

using rocksdb::FilterBitsBuilder;
using rocksdb::FilterBitsReader;
using rocksdb::FilterBuildingContext;

constexpr double kReferenceBits = 50;

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
// it. So such a partition gets a filter of ours, which matches nothing. empty_partitions_test has
// the same reads without this.
class NonEmptyBuilder : public ForwardingBuilder {
 public:
  explicit NonEmptyBuilder(FilterBitsBuilder* builder) : ForwardingBuilder(builder) {}
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    const Slice filter = ForwardingBuilder::Finish(buf, status);
    if (!filter.empty()) return filter;
    ++empty_stock_partitions;
    return RocksDBBitsBuilder(FilterOptions(), false).Finish(buf, status);
  }
};

FilterBitsBuilder* NonEmpty(FilterBitsBuilder* builder) {
  return builder == nullptr ? nullptr : new NonEmptyBuilder(builder);
}

class TwoPolicies : public rocksdb::FilterPolicy {
 public:
  TwoPolicies(Policy builders, Policy readers, Defect defect)
      : builders_(std::move(builders)), readers_(std::move(readers)), defect_(defect) {}
  const char* Name() const override { return "bloomline.matrix"; }
  const char* CompatibilityName() const override { return builders_->CompatibilityName(); }
  FilterBitsBuilder* GetBuilderWithContext(const FilterBuildingContext& context) const override {
    return WithDefect(NonEmpty(builders_->GetBuilderWithContext(context)), defect_);
  }
  FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override {
    return WithDefect(readers_->GetFilterBitsReader(contents), defect_);
  }

 private:
  const Policy builders_;
  const Policy readers_;
  const Defect defect_;
};

// Builds with one builder and sizes partitions with another.
class ResizedBuilder : public NonEmptyBuilder {
 public:
  ResizedBuilder(FilterBitsBuilder* builder, FilterBitsBuilder* sizes)
      : NonEmptyBuilder(builder), sizes_(sizes) {}
  size_t ApproximateNumEntries(size_t bytes) override {
    return sizes_->ApproximateNumEntries(bytes);
  }
  size_t CalculateSpace(size_t num_entries) override { return sizes_->CalculateSpace(num_entries); }
  double EstimatedFpRate(size_t num_entries, size_t bytes) override {
    return sizes_->EstimatedFpRate(num_entries, bytes);
  }

 private:
  const std::unique_ptr<FilterBitsBuilder> sizes_;
};

class ReferencePolicy : public rocksdb::FilterPolicy {
 public:
  ReferencePolicy(Policy stock, Policy sizes)
      : stock_(std::move(stock)), sizes_(std::move(sizes)) {}
  const char* Name() const override { return "bloomline.matrix.reference"; }
  const char* CompatibilityName() const override { return stock_->CompatibilityName(); }
  FilterBitsBuilder* GetBuilderWithContext(const FilterBuildingContext& context) const override {
    FilterBitsBuilder* const sizes = sizes_->GetBuilderWithContext(context);
    if (sizes == nullptr) return nullptr;
    return new ResizedBuilder(stock_->GetBuilderWithContext(context), sizes);
  }
  FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override {
    return stock_->GetFilterBitsReader(contents);
  }

 private:
  const Policy stock_;
  const Policy sizes_;
};

}  // namespace

std::atomic<uint64_t> empty_stock_partitions{0};

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
