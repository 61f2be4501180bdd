// A RocksDB policy and a builder that pass everything on to others: bases for those that change one
// thing.
#ifndef BLOOMLINE_TESTS_ENGINES_FORWARDING_POLICY_H_
#define BLOOMLINE_TESTS_ENGINES_FORWARDING_POLICY_H_

#include <rocksdb/filter_policy.h>

#include <memory>
#include <utility>

#include "src/engines/rocksdb/builder/filter_bits_abi.h"

namespace bloomline::tests {

class ForwardingBuilder : public rocksdb::FilterBitsBuilder {
 public:
  using Slice = rocksdb::Slice;
  using Status = rocksdb::Status;

  explicit ForwardingBuilder(rocksdb::FilterBitsBuilder* builder) : builder_(builder) {}

  void AddKey(const Slice& key) override { builder_->AddKey(key); }
#if BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    builder_->AddKeyAndAlt(key, alt);
  }
#endif
  size_t EstimateEntriesAdded() override { return builder_->EstimateEntriesAdded(); }
  Slice Finish(std::unique_ptr<const char[]>* buf) override { return builder_->Finish(buf); }
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    return builder_->Finish(buf, status);
  }
  Status MaybePostVerify(const Slice& filter) override { return builder_->MaybePostVerify(filter); }
  size_t ApproximateNumEntries(size_t bytes) override {
    return builder_->ApproximateNumEntries(bytes);
  }
  // RocksDB's own builders lack these two before 10.9, and nothing calls them then.
  size_t CalculateSpace(size_t num_entries) override {
    return builder_->CalculateSpace(num_entries);
  }
  double EstimatedFpRate(size_t num_entries, size_t bytes) override {
    return builder_->EstimatedFpRate(num_entries, bytes);
  }

 private:
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder_;
};

class ForwardingPolicy : public rocksdb::FilterPolicy {
 public:
  explicit ForwardingPolicy(std::shared_ptr<const rocksdb::FilterPolicy> policy)
      : policy_(std::move(policy)) {}
  const char* Name() const override { return policy_->Name(); }
  const char* CompatibilityName() const override { return policy_->CompatibilityName(); }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return policy_->GetBuilderWithContext(context);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override {
    return policy_->GetFilterBitsReader(contents);
  }

 private:
  const std::shared_ptr<const rocksdb::FilterPolicy> policy_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ENGINES_FORWARDING_POLICY_H_
