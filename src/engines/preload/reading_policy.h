// The program's own policy of RocksDB, which writes every filter. Only queries are bloomline's.
#ifndef BLOOMLINE_ENGINES_PRELOAD_READING_POLICY_H_
#define BLOOMLINE_ENGINES_PRELOAD_READING_POLICY_H_

#include <memory>
#include <string>
#include <utility>

#include "bloomline/rocksdb.h"

namespace bloomline::preload {

class ReadingPolicy final : public rocksdb::FilterPolicy {
 public:
  // `reader` is a policy of bloomline.
  ReadingPolicy(std::unique_ptr<const rocksdb::FilterPolicy> own,
                std::unique_ptr<const rocksdb::FilterPolicy> reader)
      : own_(std::move(own)), reader_(std::move(reader)) {}

  const char* Name() const override { return own_->Name(); }
  const char* CompatibilityName() const override { return own_->CompatibilityName(); }
  std::string GetId() const override { return own_->GetId(); }
  const rocksdb::Customizable* Inner() const override { return own_.get(); }

  rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    return own_->GetBuilderWithContext(context);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override {
    return reader_->GetFilterBitsReader(contents);
  }

 private:
  const std::unique_ptr<const rocksdb::FilterPolicy> own_;
  const std::unique_ptr<const rocksdb::FilterPolicy> reader_;
};

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_READING_POLICY_H_
