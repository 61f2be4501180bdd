// Builds the filters of a rewritten table: RocksDB's own, as RocksDB itself would write them, or
// bloomline's.
#ifndef BLOOMLINE_DB_REWRITE_TABLE_FILTER_WRITER_H_
#define BLOOMLINE_DB_REWRITE_TABLE_FILTER_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/db/rewrite/table_rewrite.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/writer/filter_writer.h"

namespace bloomline::db {

// ((AddKey | AddPrefix)* Finish)*. Like RocksDB, skips a key or prefix that follows itself. Memory:
// 8 bytes per entry, and for the time of Finish one filter.
class TableFilterWriter {
 public:
  explicit TableFilterWriter(const TableRewrite& rewrite)
      : writer_({rewrite.format, rewrite.bits_per_key},
                filter::PlanRow(rewrite.format, rewrite.is_legacy)) {}

  // Call AddKey before AddPrefix for the same entry. The key has no timestamp.
  void AddKey(std::string_view key) { writer_.AddKey(key); }
  void AddPrefix(std::string_view prefix) { writer_.AddPrefix(prefix); }

  uint64_t num_entries() const { return writer_.num_keys(); }

  // Returns the filter and starts over. A filter without entries matches every key: RocksDB's
  // MultiGet takes all keys of an empty partition for missing.
  std::string Finish();

 private:
  filter::FilterWriter writer_;
};

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_TABLE_FILTER_WRITER_H_
