// The program's own policy of RocksDB, which writes every filter. Only queries are bloomline's.
#ifndef BLOOMLINE_ENGINES_PRELOAD_READING_POLICY_H_
#define BLOOMLINE_ENGINES_PRELOAD_READING_POLICY_H_

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "bloomline/rocksdb.h"

namespace bloomline::preload {

class ReadingPolicy final : public rocksdb::FilterPolicy {
 public:
  // `reader` is a policy of bloomline.
  ReadingPolicy(std::unique_ptr<const rocksdb::FilterPolicy> own,
                std::unique_ptr<const rocksdb::FilterPolicy> reader)
      : own_(const_cast<rocksdb::FilterPolicy*>(own.release())), reader_(std::move(reader)) {}

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

 protected:
  // The own policy's options: from 8.7 on, RocksDB's Ribbon policy has bloom_before_level.
  rocksdb::Status ConfigureOptions(const rocksdb::ConfigOptions& config,
                                   const std::unordered_map<std::string, std::string>& options,
                                   std::unordered_map<std::string, std::string>* unused) override {
    return own_->ConfigureFromMap(config, options, unused);
  }
  std::string SerializeOptions(const rocksdb::ConfigOptions& config,
                               const std::string& prefix) const override {
    std::string text = own_->ToString(config, prefix);
    const bool has_options = !text.empty() && text.front() == '{';
    return has_options ? text.substr(1, text.size() - 2) : text;
  }

 private:
  const std::unique_ptr<rocksdb::FilterPolicy> own_;
  const std::unique_ptr<const rocksdb::FilterPolicy> reader_;
};

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_READING_POLICY_H_
