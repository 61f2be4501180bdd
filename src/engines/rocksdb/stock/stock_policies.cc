#include "src/engines/rocksdb/stock/stock_policies.h"

#include <algorithm>

#include "rocksdb/convenience.h"
#include "src/engines/rocksdb/bits/filter_choice.h"
#include "src/filter/stock/stock_size.h"
#include "src/support/number_text.h"

namespace bloomline {

using ROCKSDB_NAMESPACE::FilterPolicy;

thread_local int OwnPolicyScope::depth_ = 0;

const char* StockPolicyName(Format format) {
  return format == Format::kBloom ? "bloomfilter" : "ribbonfilter";
}

std::string StockPolicyText(Format format, double bits_per_key, Format flush_format) {
  // RocksDB's conventions: below 0.5 no filters, up to 1 counts as 1, and at most thousandths.
  const double written =
      bits_per_key < kNoFilterBelow ? 0 : stock::Millibits(std::max(bits_per_key, 1.0)) / 1000.0;
  const std::string bits = support::DoubleText(written);
  const std::string start = std::string(StockPolicyName(format)) + ":" + bits;
  if (format == Format::kBloom) return start + ":false";
  return start + (flush_format == Format::kBloom ? ":0" : ":-1");
}

std::shared_ptr<const FilterPolicy> StockPolicyNamed(const std::string& text) {
  const OwnPolicyScope scope;
  std::shared_ptr<const FilterPolicy> policy;
  FilterPolicy::CreateFromString(ROCKSDB_NAMESPACE::ConfigOptions(), text, &policy)
      .PermitUncheckedError();
  return policy;
}

std::shared_ptr<const FilterPolicy> StockPolicies::Get(Format format, double bits_per_key) const {
  const Key key(format, stock::Millibits(bits_per_key));
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<const FilterPolicy>& policy = policies_[key];
  if (policy == nullptr) policy = StockPolicyNamed(StockPolicyText(format, bits_per_key, format));
  return policy;
}

}  // namespace bloomline
