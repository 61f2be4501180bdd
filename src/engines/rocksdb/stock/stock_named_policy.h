// A policy that looks like one of RocksDB's.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_NAMED_POLICY_H_
#define BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_NAMED_POLICY_H_

#include <memory>
#include <string>
#include <utility>

#include "rocksdb/table.h"
#include "src/engines/rocksdb/stock/stock_builder.h"

namespace bloomline::engine {

enum class Writer { kStock, kBloomline };

// A policy with the name and the text of RocksDB's policy, as the program made it. If that one is
// the writer, it writes every filter except those that would lose keys (StockBuilder). Queries are
// bloomline's.
class StockNamedPolicy final : public FilterPolicy {
 public:
  // `bloomline` is a policy of bloomline.
  StockNamedPolicy(std::shared_ptr<const FilterPolicy> stock,
                   std::shared_ptr<const FilterPolicy> bloomline, Writer writer)
      : stock_(std::const_pointer_cast<FilterPolicy>(std::move(stock))),
        bloomline_(std::const_pointer_cast<FilterPolicy>(std::move(bloomline))),
        writer_(writer) {}

  const char* Name() const override { return stock_->Name(); }
  const char* CompatibilityName() const override { return stock_->CompatibilityName(); }
  std::string GetId() const override { return stock_->GetId(); }
  const ROCKSDB_NAMESPACE::Customizable* Inner() const override { return stock_.get(); }

  FilterBitsBuilder* GetBuilderWithContext(const FilterBuildingContext& context) const override {
    if (writer_ == Writer::kBloomline) return bloomline_->GetBuilderWithContext(context);
    std::unique_ptr<FilterBitsBuilder> builder(stock_->GetBuilderWithContext(context));
    if (builder == nullptr) return nullptr;
    return new StockBuilder(stock_, std::move(builder), context.table_options.partition_filters);
  }
  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    return bloomline_->GetFilterBitsReader(contents);
  }

 protected:
  // The stock policy's options: from 8.7 on, RocksDB's Ribbon policy has bloom_before_level, which
  // SetOptions changes. A bloomline that writes follows it.
  Status ConfigureOptions(const ConfigOptions& config, const OptionMap& options,
                          OptionMap* unused) override {
    const Status status = stock_->ConfigureFromMap(config, options, unused);
    if (!status.ok() || writer_ == Writer::kStock) return status;
    constexpr char kLevel[] = "bloom_before_level";
    std::string level;
    if (!stock_->GetOption(config, kLevel, &level).ok()) return status;
    return bloomline_->ConfigureFromMap(config, {{kLevel, level}}, unused);
  }
  std::string SerializeOptions(const ConfigOptions& config,
                               const std::string& prefix) const override {
    std::string text = stock_->ToString(config, prefix);
    const bool has_options = !text.empty() && text.front() == '{';
    return has_options ? text.substr(1, text.size() - 2) : text;
  }

 private:
  const std::shared_ptr<FilterPolicy> stock_;
  const std::shared_ptr<FilterPolicy> bloomline_;
  const Writer writer_;
};

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_NAMED_POLICY_H_
