// The policies of a cell.
#include <rocksdb/convenience.h>

#include <utility>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/builder/bits_builder.h"
#include "tests/engines/forwarding_policy.h"
#include "tests/engines/matrix/run_cell.h"

namespace bloomline::matrix {
namespace {

using rocksdb::FilterBitsBuilder;
using rocksdb::FilterBuildingContext;
using rocksdb::Slice;
using tests::ForwardingBuilder;
using tests::ForwardingPolicy;

constexpr double kReferenceBits = 50;

const char* OptionString(Filter filter) {
  switch (filter) {
    case Filter::kBlocked:
      return "{id=bloomline;format=blocked;bits_per_key=10}";
    case Filter::kAuto:
      return "{id=bloomline;format=ribbon;bits_per_key=10;bits_by_level=auto}";
    case Filter::kList:
      return "{id=bloomline;format=blocked;bits_by_level=24:20:16:12:9}";
    case Filter::kGaps:
      return "{id=bloomline;format=ribbon;bits_by_level=16:0:12:0:8}";
    case Filter::kFlush:
      return "{id=bloomline;format=ribbon;bits_per_key=10;flush_format=blocked}";
    case Filter::kNoBottom:
      return "{id=bloomline;format=ribbon;bits_by_level=20:16:12;filters_at_bottom=false}";
    case Filter::kBloom:
      return "{id=bloomline;format=bloom;bits_per_key=10}";
    case Filter::kRibbon:
      return "{id=bloomline;format=ribbon;bits_per_key=10}";
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

// RocksDB's Bloom builder of late versions gives no bytes to a partition without entries. MultiGet
// cannot read that: with assertions it aborts, and the whole program with it. So such a partition
// gets a filter of ours, which matches nothing. Partitions are cut where `sizes` cuts them.
class StockBuilder : public ForwardingBuilder {
 public:
  StockBuilder(FilterBitsBuilder* builder, FilterBitsBuilder* sizes)
      : ForwardingBuilder(builder), sizes_(sizes) {}
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    const Slice filter = ForwardingBuilder::Finish(buf, status);
    if (!filter.empty()) return filter;
    return engine::RocksDBBitsBuilder(FilterOptions()).Finish(buf, status);
  }
  size_t ApproximateNumEntries(size_t bytes) override {
    return sizes_->ApproximateNumEntries(bytes);
  }
  size_t CalculateSpace(size_t n) override { return sizes_->CalculateSpace(n); }

 private:
  const std::unique_ptr<FilterBitsBuilder> sizes_;
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

Policy NewCellPolicy(Filter filter, std::string* error) {
  return FromString(OptionString(filter), error);
}

Policy NewReferencePolicy(Filter filter, std::string* error) {
  Policy sizes = FromString(OptionString(filter), error);
  if (sizes == nullptr) return nullptr;
  Policy stock(rocksdb::NewBloomFilterPolicy(kReferenceBits));
  return std::make_shared<ReferencePolicy>(std::move(stock), std::move(sizes));
}

}  // namespace bloomline::matrix
