// A RocksDB filter policy that passes everything on to another one, and notes which filters were
// written and which one a query went to.
#ifndef BLOOMLINE_TESTS_ENGINES_RECORDING_POLICY_H_
#define BLOOMLINE_TESTS_ENGINES_RECORDING_POLICY_H_

#include <rocksdb/filter_policy.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "src/engines/rocksdb/filter_bits_abi.h"

namespace bloomline::tests {

struct FilterRecord {
  std::mutex mutex;
  std::vector<std::string> written;
  std::vector<std::string> queried;  // the bytes of the filter, once for each query
};

class RecordingBuilder : public rocksdb::FilterBitsBuilder {
 public:
  RecordingBuilder(rocksdb::FilterBitsBuilder* inner, std::shared_ptr<FilterRecord> record)
      : inner_(inner), record_(std::move(record)) {}

  void AddKey(const rocksdb::Slice& key) override { inner_->AddKey(key); }
#if BLOOMLINE_ROCKSDB_HAS_ADD_KEY_AND_ALT
  void AddKeyAndAlt(const rocksdb::Slice& key, const rocksdb::Slice& alt) override {
    inner_->AddKeyAndAlt(key, alt);
  }
#endif
  size_t EstimateEntriesAdded() override { return inner_->EstimateEntriesAdded(); }
  rocksdb::Slice Finish(std::unique_ptr<const char[]>* buf) override {
    return Note(inner_->Finish(buf));
  }
  rocksdb::Slice Finish(std::unique_ptr<const char[]>* buf, rocksdb::Status* status) override {
    return Note(inner_->Finish(buf, status));
  }
  rocksdb::Status MaybePostVerify(const rocksdb::Slice& filter) override {
    return inner_->MaybePostVerify(filter);
  }
  size_t ApproximateNumEntries(size_t bytes) override {
    return inner_->ApproximateNumEntries(bytes);
  }
  // Older versions of RocksDB neither have nor call these.
  size_t CalculateSpace(size_t n) BLOOMLINE_OVERRIDE_SINCE_10_9 {
    return BLOOMLINE_ROCKSDB_VERSION >= 1009 ? Space(n) : 0;
  }
  double EstimatedFpRate(size_t, size_t) BLOOMLINE_OVERRIDE_SINCE_10_9 { return 0; }

 private:
  size_t Space(size_t n) { return inner_->CalculateSpace(n); }
  rocksdb::Slice Note(rocksdb::Slice filter) {
    const std::lock_guard<std::mutex> lock(record_->mutex);
    record_->written.push_back(filter.ToString());
    return filter;
  }

  const std::unique_ptr<rocksdb::FilterBitsBuilder> inner_;
  const std::shared_ptr<FilterRecord> record_;
};

class RecordingReader : public rocksdb::FilterBitsReader {
 public:
  RecordingReader(rocksdb::FilterBitsReader* inner, const rocksdb::Slice& bytes,
                  std::shared_ptr<FilterRecord> record)
      : inner_(inner), bytes_(bytes.ToString()), record_(std::move(record)) {}

  bool MayMatch(const rocksdb::Slice& key) override {
    const std::lock_guard<std::mutex> lock(record_->mutex);
    record_->queried.push_back(bytes_);
    return inner_->MayMatch(key);
  }
  void MayMatch(int n, rocksdb::Slice** keys, bool* may_match) override {
    inner_->MayMatch(n, keys, may_match);
  }

 private:
  const std::unique_ptr<rocksdb::FilterBitsReader> inner_;
  const std::string bytes_;
  const std::shared_ptr<FilterRecord> record_;
};

class RecordingPolicy : public rocksdb::FilterPolicy {
 public:
  explicit RecordingPolicy(std::shared_ptr<const rocksdb::FilterPolicy> inner)
      : inner_(std::move(inner)) {}

  const char* Name() const override { return inner_->Name(); }
  const char* CompatibilityName() const override { return inner_->CompatibilityName(); }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    rocksdb::FilterBitsBuilder* inner = inner_->GetBuilderWithContext(context);
    return inner == nullptr ? nullptr : new RecordingBuilder(inner, record_);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override {
    rocksdb::FilterBitsReader* inner = inner_->GetFilterBitsReader(contents);
    return inner == nullptr ? nullptr : new RecordingReader(inner, contents, record_);
  }

  FilterRecord& record() const { return *record_; }

 private:
  const std::shared_ptr<const rocksdb::FilterPolicy> inner_;
  const std::shared_ptr<FilterRecord> record_ = std::make_shared<FilterRecord>();
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ENGINES_RECORDING_POLICY_H_
