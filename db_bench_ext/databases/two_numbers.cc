#include "db_bench_ext/databases/two_numbers.h"

#include "rocksdb/filter_policy.h"

namespace bloomline::bench {
namespace {

class TwoNumbers : public rocksdb::FilterPolicy {
 public:
  explicit TwoNumbers(double bits)
      : bottom_(rocksdb::NewRibbonFilterPolicy(bits, -1)),
        above_(rocksdb::NewRibbonFilterPolicy(bits + kMoreBits, -1)) {}

  const char* Name() const override { return bottom_->Name(); }
  const char* CompatibilityName() const override { return bottom_->CompatibilityName(); }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return (context.is_bottommost ? bottom_ : above_)->GetBuilderWithContext(context);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& filter) const override {
    return bottom_->GetFilterBitsReader(filter);
  }

 private:
  const std::unique_ptr<const rocksdb::FilterPolicy> bottom_, above_;
};

}  // namespace

std::shared_ptr<const rocksdb::FilterPolicy> NewTwoNumbers(double bits_per_key) {
  return std::make_shared<TwoNumbers>(bits_per_key);
}

}  // namespace bloomline::bench
