// Builds the filters of a rewritten table: RocksDB's own, as RocksDB itself would write them, or
// bloomline's.
#ifndef BLOOMLINE_DB_REWRITE_TABLE_FILTER_H_
#define BLOOMLINE_DB_REWRITE_TABLE_FILTER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"
#include "src/db/rewrite/table_rewrite.h"
#include "src/filter/stock/builder/ribbon_builder.h"
#include "src/filter/writer/filter_writer.h"
#include "src/filter/writer/hash_list.h"

namespace bloomline::db {

// ((AddKey | AddPrefix)* Finish)*. Like RocksDB, skips a key or prefix that follows itself. Memory:
// 8 bytes per entry, and for the time of Finish one filter.
class TableFilter {
 public:
  explicit TableFilter(const TableRewrite& rewrite);

  // Call AddKey before AddPrefix for the same entry. The key has no timestamp.
  void AddKey(std::string_view key) { Append(Hash(key)); }
  void AddPrefix(std::string_view prefix);

  uint64_t num_entries() const;

  // Returns the filter and starts over. A filter without entries matches every key: RocksDB's
  // MultiGet takes all keys of an empty partition for missing.
  std::string Finish();

 private:
  uint64_t Hash(std::string_view key) const;
  void Append(uint64_t hash);
  std::string FinishBloomline();
  std::string FinishRibbon();
  std::string FinishBloom();

  const Format format_;
  const double bits_per_key_;
  const bool is_legacy_;
  // One of these has the keys.
  std::optional<filter::FilterWriter> bloomline_;
  std::optional<stock::RibbonBuilder> ribbon_;
  filter::HashList bloom_;
  std::optional<uint64_t> last_prefix_;
};

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_TABLE_FILTER_H_
