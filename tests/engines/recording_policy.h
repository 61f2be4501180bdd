// A RocksDB filter policy that passes everything on to another one, and notes which filters were
// written and which one a query went to.
#ifndef BLOOMLINE_TESTS_ENGINES_RECORDING_POLICY_H_
#define BLOOMLINE_TESTS_ENGINES_RECORDING_POLICY_H_

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/engines/forwarding_policy.h"

namespace bloomline::tests {

struct FilterRecord {
  std::mutex mutex;
  std::vector<std::string> written;
  std::vector<std::string> queried;  // the bytes of the filter, once for each query
};

class RecordingBuilder : public ForwardingBuilder {
 public:
  RecordingBuilder(rocksdb::FilterBitsBuilder* inner, std::shared_ptr<FilterRecord> record)
      : ForwardingBuilder(inner), record_(std::move(record)) {}
  Slice Finish(std::unique_ptr<const char[]>* buf) override {
    return Note(ForwardingBuilder::Finish(buf));
  }
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    return Note(ForwardingBuilder::Finish(buf, status));
  }

 private:
  Slice Note(Slice filter) {
    const std::lock_guard<std::mutex> lock(record_->mutex);
    record_->written.push_back(filter.ToString());
    return filter;
  }

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

class RecordingPolicy : public ForwardingPolicy {
 public:
  using ForwardingPolicy::ForwardingPolicy;
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    rocksdb::FilterBitsBuilder* inner = ForwardingPolicy::GetBuilderWithContext(context);
    return inner == nullptr ? nullptr : new RecordingBuilder(inner, record_);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override {
    rocksdb::FilterBitsReader* inner = ForwardingPolicy::GetFilterBitsReader(contents);
    return inner == nullptr ? nullptr : new RecordingReader(inner, contents, record_);
  }

  FilterRecord& record() const { return *record_; }

 private:
  const std::shared_ptr<FilterRecord> record_ = std::make_shared<FilterRecord>();
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ENGINES_RECORDING_POLICY_H_
