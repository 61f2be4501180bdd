// A policy that looks like one of RocksDB's.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_NAMED_POLICY_H_
#define BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_NAMED_POLICY_H_

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/stock/stock_builder.h"

namespace bloomline::engine {

enum class Writer { kStock, kBloomline };

// A policy with the name and the text of RocksDB's policy, as the program made it. If that one is
// the writer, it writes every filter except those that would lose keys (StockBuilder). Queries are
// bloomline's.
class StockNamedPolicy final : public ROCKSDB_NAMESPACE::FilterPolicy {
 public:
  // `bloomline` is a policy of bloomline.
  StockNamedPolicy(std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> stock,
                   std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> bloomline, Writer writer)
      : stock_(std::const_pointer_cast<ROCKSDB_NAMESPACE::FilterPolicy>(std::move(stock))),
        bloomline_(std::const_pointer_cast<ROCKSDB_NAMESPACE::FilterPolicy>(std::move(bloomline))),
        writer_(writer) {}

  const char* Name() const override { return stock_->Name(); }
  const char* CompatibilityName() const override { return stock_->CompatibilityName(); }
  std::string GetId() const override { return stock_->GetId(); }
  const ROCKSDB_NAMESPACE::Customizable* Inner() const override { return stock_.get(); }

  ROCKSDB_NAMESPACE::FilterBitsBuilder* GetBuilderWithContext(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const override {
    if (writer_ == Writer::kBloomline) return bloomline_->GetBuilderWithContext(context);
    std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> builder(
        stock_->GetBuilderWithContext(context));
    if (builder == nullptr) return nullptr;
    return new StockBuilder(stock_, std::move(builder), context.table_options.partition_filters);
  }
  ROCKSDB_NAMESPACE::FilterBitsReader* GetFilterBitsReader(
      const ROCKSDB_NAMESPACE::Slice& contents) const override {
    return bloomline_->GetFilterBitsReader(contents);
  }

 protected:
  // The stock policy's options: from 8.7 on, RocksDB's Ribbon policy has bloom_before_level, which
  // SetOptions changes. A bloomline that writes follows it.
  ROCKSDB_NAMESPACE::Status ConfigureOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config,
      const std::unordered_map<std::string, std::string>& options,
      std::unordered_map<std::string, std::string>* unused) override {
    const ROCKSDB_NAMESPACE::Status status = stock_->ConfigureFromMap(config, options, unused);
    if (!status.ok() || writer_ == Writer::kStock) return status;
    constexpr char kLevel[] = "bloom_before_level";
    std::string level;
    if (!stock_->GetOption(config, kLevel, &level).ok()) return status;
    return bloomline_->ConfigureFromMap(config, {{kLevel, level}}, unused);
  }
  std::string SerializeOptions(const ROCKSDB_NAMESPACE::ConfigOptions& config,
                               const std::string& prefix) const override {
    std::string text = stock_->ToString(config, prefix);
    const bool has_options = !text.empty() && text.front() == '{';
    return has_options ? text.substr(1, text.size() - 2) : text;
  }

 private:
  const std::shared_ptr<ROCKSDB_NAMESPACE::FilterPolicy> stock_;
  const std::shared_ptr<ROCKSDB_NAMESPACE::FilterPolicy> bloomline_;
  const Writer writer_;
};

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_NAMED_POLICY_H_
