// NewCanonicalRocksDBFilterPolicy.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "bloomline/key_canonicalizer.h"
#include "bloomline/rocksdb.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/options.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/builder/layout_check.h"
#include "src/engines/rocksdb/stock/stock_builder.h"
#include "src/filter/container/policy_names.h"
#include "src/support/set_error.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

using CanonicalizerPtr = std::shared_ptr<const KeyCanonicalizer>;

Slice Form(const CanonicalizerPtr& canonicalizer, const Slice& key, std::string* buffer) {
  return canonicalizer->Canonicalize(key.ToStringView(), buffer);
}

class CanonicalBuilder final : public engine::StockBuilder {
 public:
  CanonicalBuilder(std::shared_ptr<const FilterPolicy> policy,
                   std::unique_ptr<FilterBitsBuilder> builder, bool is_partition,
                   CanonicalizerPtr canonicalizer)
      : engine::StockBuilder(std::move(policy), std::move(builder), is_partition),
        canonicalizer_(std::move(canonicalizer)) {}

  void AddKey(const Slice& key) noexcept override {
    engine::StockBuilder::AddKey(Form(canonicalizer_, key, &key_));
  }
#if BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const Slice& key, const Slice& alt) noexcept override {
    engine::StockBuilder::AddKeyAndAlt(Form(canonicalizer_, key, &key_),
                                       Form(canonicalizer_, alt, &alt_));
  }
#endif

 private:
  const CanonicalizerPtr canonicalizer_;
  std::string key_;
  std::string alt_;
};

// Keeps the canonicalizer: readers of filters in a block cache outlive their policy.
class CanonicalReader final : public FilterBitsReader {
 public:
  CanonicalReader(std::unique_ptr<FilterBitsReader> reader, CanonicalizerPtr canonicalizer)
      : reader_(std::move(reader)), canonicalizer_(std::move(canonicalizer)) {}

  bool MayMatch(const Slice& entry) noexcept override {
    std::string buffer;
    return reader_->MayMatch(Form(canonicalizer_, entry, &buffer));
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) noexcept override {
    constexpr int kBatchKeys = 32;  // RocksDB passes at most this many
    for (int start = 0; start < num_keys; start += kBatchKeys) {
      const int count = std::min(kBatchKeys, num_keys - start);
      std::string buffers[kBatchKeys];
      Slice forms[kBatchKeys];
      Slice* pointers[kBatchKeys];
      for (int i = 0; i < count; ++i) {
        forms[i] = Form(canonicalizer_, *keys[start + i], &buffers[i]);
        pointers[i] = &forms[i];
      }
      reader_->MayMatch(count, pointers, may_match + start);
    }
  }

 private:
  const std::unique_ptr<FilterBitsReader> reader_;
  const CanonicalizerPtr canonicalizer_;
};

class CanonicalRocksDBPolicy final : public FilterPolicy {
 public:
  CanonicalRocksDBPolicy(std::shared_ptr<const FilterPolicy> policy, CanonicalizerPtr canonicalizer)
      : policy_(std::move(policy)),
        canonicalizer_(std::move(canonicalizer)),
        name_(filter::CanonicalName(policy_->CompatibilityName(), canonicalizer_->Name())) {}

  // RocksDB's registry does not know the name, so a program that loads it from an OPTIONS file has
  // no policy, and no filters.
  const char* Name() const noexcept override { return name_.c_str(); }
  const char* CompatibilityName() const noexcept override { return name_.c_str(); }

  FilterBitsBuilder* GetBuilderWithContext(
      const FilterBuildingContext& context) const noexcept override {
    std::unique_ptr<FilterBitsBuilder> builder(policy_->GetBuilderWithContext(context));
    if (builder == nullptr) return nullptr;
    return new CanonicalBuilder(policy_, std::move(builder),
                                context.table_options.partition_filters, canonicalizer_);
  }

  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const noexcept override {
    std::unique_ptr<FilterBitsReader> reader(policy_->GetFilterBitsReader(contents));
    if (reader == nullptr) return nullptr;
    return new CanonicalReader(std::move(reader), canonicalizer_);
  }

  // For the inner policy, keys are equal if their bytes are.
  ROCKSDB_NAMESPACE::Status ValidateOptions(
      const ROCKSDB_NAMESPACE::DBOptions& database,
      const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) const noexcept override {
    ROCKSDB_NAMESPACE::ColumnFamilyOptions canonical = family;
    canonical.comparator = ROCKSDB_NAMESPACE::BytewiseComparator();
    return policy_->ValidateOptions(database, canonical);
  }

 private:
  const std::shared_ptr<const FilterPolicy> policy_;
  const CanonicalizerPtr canonicalizer_;
  const std::string name_;
};

std::string Refusal(const FilterPolicy* policy, const KeyCanonicalizer* canonicalizer) {
  const std::string mismatch = engine::RocksDBMismatch();
  if (!mismatch.empty()) return mismatch;
  if (policy == nullptr || canonicalizer == nullptr) {
    return "the policy or the canonicalizer is null; allowed: an object";
  }
  // Other characters would end the name in an OPTIONS file.
  const std::string_view name = canonicalizer->Name();
  constexpr char kAllowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (name.empty() || name.find_first_not_of(kAllowed) != name.npos) {
    return "the canonicalizer's name is '" + std::string(name) +
           "'; allowed: letters, digits, '.', '_' and '-' of ASCII";
  }
  return "";
}

}  // namespace

std::shared_ptr<const FilterPolicy> NewCanonicalRocksDBFilterPolicy(
    std::shared_ptr<const FilterPolicy> policy,
    std::shared_ptr<const KeyCanonicalizer> canonicalizer, std::string* error) {
  return support::OrReport("RocksDB filter policy", error,
                           [&](std::string* reason) -> std::shared_ptr<const FilterPolicy> {
                             *reason = Refusal(policy.get(), canonicalizer.get());
                             if (!reason->empty()) return nullptr;
                             return std::make_shared<CanonicalRocksDBPolicy>(
                                 std::move(policy), std::move(canonicalizer));
                           });
}

}  // namespace bloomline
