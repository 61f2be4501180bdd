#include "src/db/table_filters.h"

#include <charconv>
#include <optional>

namespace bloomline::db {
namespace {

using sstable::Engine;

// N of "rocksdb.FixedPrefix.N"; older versions of RocksDB write "rocksdb.FixedPrefix" only for
// N = 0. Prefixes of more bytes than any key has do not occur.
std::optional<size_t> LengthAfter(std::string_view name, std::string_view start) {
  if (name.substr(0, start.size()) != start) return std::nullopt;
  size_t length = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, status] = std::from_chars(name.data() + start.size(), end, length);
  if (status != std::errc() || stop != end) return std::nullopt;
  return length;
}

}  // namespace

bool TableFilters::Init(const sstable::Table& table, std::string* error) {
  table_ = &table;
  index_ = ~uint64_t{0};
  reader_ = table.NewFilterReader(error);
  return reader_ != nullptr;
}

const engine_filters::EngineFilter* TableFilters::At(uint64_t index, std::string* error) {
  if (index == index_) return &filter_;
  index_ = ~uint64_t{0};
  std::string_view bytes;
  if (!reader_->Read(index, &bytes, error)) return nullptr;
  filter_ = engine_filters::EngineFilter::Open(table_->engine(), table_->filter_name(), bytes);
  bytes_ = bytes.size();
  index_ = index;
  return &filter_;
}

FilterKeys::FilterKeys(const sstable::Table& table) {
  const sstable::Properties& properties = table.properties();
  comparator_ = properties.comparator;
  order_ = sstable::OrderOf(properties);
  if (table.engine() == Engine::kLevelDB) return;
  whole_keys_ = properties.whole_key_filtering;
  const std::string& extractor = properties.prefix_extractor;
  if (!properties.prefix_filtering || extractor.empty() || extractor == "nullptr") return;
  if (const auto fixed = LengthAfter(extractor, "rocksdb.FixedPrefix.")) {
    prefix_bytes_ = *fixed;
    prefixes_ = true;
  } else if (const auto capped = LengthAfter(extractor, "rocksdb.CappedPrefix.")) {
    prefix_bytes_ = *capped;
    prefixes_ = capped_ = true;
  } else if (extractor == "rocksdb.Noop" || extractor == engine_filters::kRangeExtractor) {
    prefix_bytes_ = extractor == engine_filters::kRangeExtractor ? 0 : ~size_t{0} >> 1;
    prefixes_ = capped_ = true;
  } else {
    unknown_ = "prefix extractor '" + extractor + "' is not known here";
  }
}

}  // namespace bloomline::db
