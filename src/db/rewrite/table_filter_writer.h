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
      : plan_(filter::PlanRow(rewrite.format, rewrite.is_legacy)),
        bits_per_key_(rewrite.bits_per_key),
        writer_({rewrite.format, rewrite.bits_per_key}, plan_) {}

  // Call AddKey before AddPrefix for the same entry. The key has no timestamp.
  void AddKey(std::string_view key) { writer_.AddKey(key); }
  void AddPrefix(std::string_view prefix) { writer_.AddPrefix(prefix); }

  uint64_t num_entries() const { return writer_.num_keys(); }
  // The size of a filter with this number of entries.
  uint64_t BytesFor(uint64_t num_entries) const {
    const filter::FilterShape shape =
        filter::SSTableShape(plan_, {num_entries, bits_per_key_, filter::kTrailerBytes});
    return shape.payload_bytes() + writer_.end_bytes();
  }

  // Returns the filter and starts over. A filter without entries matches every key: RocksDB's
  // MultiGet takes all keys of an empty partition for missing.
  std::string Finish();

 private:
  const filter::LayoutRow& plan_;
  const double bits_per_key_;
  filter::FilterWriter writer_;
};

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_TABLE_FILTER_WRITER_H_
