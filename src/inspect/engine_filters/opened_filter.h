// What EngineFilter holds: the facts of a filter, and its queries behind two virtual calls.
#ifndef BLOOMLINE_INSPECT_ENGINE_FILTERS_OPENED_FILTER_H_
#define BLOOMLINE_INSPECT_ENGINE_FILTERS_OPENED_FILTER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "src/inspect/engine_filters/engine_filter.h"
#include "src/inspect/engine_filters/ribbon_reader.h"

namespace bloomline::engine_filters {

struct FilterFacts {
  Layout layout = Layout::kUnknown;
  std::string why;
  bool can_query = true;
  std::string canonicalizer;
  int num_probes = 0;
  // The payload is num_blocks blocks; those of layouts whose probes range over all bits are bytes.
  // Bytes behind them are not used.
  const char* data = nullptr;
  uint64_t payload_bytes = 0;
  uint64_t num_blocks = 0;
  uint64_t block_bytes = 1;
  std::optional<RibbonShape> ribbon;
};

class OpenedFilter {
 public:
  explicit OpenedFilter(FilterFacts facts) : facts_(std::move(facts)) {}
  virtual ~OpenedFilter() = default;
  OpenedFilter(const OpenedFilter&) = delete;
  OpenedFilter& operator=(const OpenedFilter&) = delete;

  const FilterFacts& facts() const { return facts_; }
  virtual bool MayMatch(std::string_view key) const = 0;
  virtual void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const = 0;

 private:
  const FilterFacts facts_;
};

// Answers the same to every key.
class ConstantFilter final : public OpenedFilter {
 public:
  ConstantFilter(FilterFacts facts, bool answer)
      : OpenedFilter(std::move(facts)), answer_(answer) {}
  bool MayMatch(std::string_view) const override { return answer_; }
  void MayMatch(size_t n, const std::string_view*, bool* may_match) const override {
    std::fill_n(may_match, n, answer_);
  }

 private:
  const bool answer_;
};

// Queries through a reader as in bloom_readers.h.
template <typename Reader>
class ReaderFilter final : public OpenedFilter {
 public:
  ReaderFilter(FilterFacts facts, const Reader& reader)
      : OpenedFilter(std::move(facts)), reader_(reader) {}

  bool MayMatch(std::string_view key) const override { return reader_.MayMatch(reader_.Hash(key)); }
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const override {
    constexpr size_t kBatchKeys = 32;
    uint64_t hashes[kBatchKeys];
    for (size_t start = 0; start < n; start += kBatchKeys) {
      const size_t count = std::min(kBatchKeys, n - start);
      for (size_t i = 0; i < count; ++i) {
        hashes[i] = reader_.Hash(keys[start + i]);
        reader_.Prefetch(hashes[i]);
      }
      for (size_t i = 0; i < count; ++i) may_match[start + i] = reader_.MayMatch(hashes[i]);
    }
  }

 private:
  const Reader reader_;
};

using OpenedPointer = std::shared_ptr<const OpenedFilter>;

template <typename Reader>
OpenedPointer OpenReader(FilterFacts facts, const Reader& reader) {
  return std::make_shared<const ReaderFilter<Reader>>(std::move(facts), reader);
}

inline OpenedPointer OpenConstant(FilterFacts facts, Layout layout) {
  facts.layout = layout;
  facts.num_probes = 0;
  return std::make_shared<const ConstantFilter>(std::move(facts), layout != Layout::kNoKeys);
}

// Matches every key.
inline OpenedPointer NotUnderstood(FilterFacts facts, std::string why) {
  facts.why = std::move(why);
  return OpenConstant(std::move(facts), Layout::kUnknown);
}

// `name` and `bytes` as for EngineFilter::Open. May throw std::bad_alloc.
OpenedPointer OpenLevelDB(std::string_view name, std::string_view bytes);
OpenedPointer OpenRocksDB(std::string_view name, std::string_view bytes);
OpenedPointer OpenRocksDBByOffset(std::string_view name, std::string_view bytes);

}  // namespace bloomline::engine_filters

#endif  // BLOOMLINE_INSPECT_ENGINE_FILTERS_OPENED_FILTER_H_
