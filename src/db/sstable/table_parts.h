// The parts of a table that Table::Open finds and its readers use. They never change.
#ifndef BLOOMLINE_DB_SSTABLE_TABLE_PARTS_H_
#define BLOOMLINE_DB_SSTABLE_TABLE_PARTS_H_

#include <string>

#include "src/db/sstable/block_cursor.h"
#include "src/db/sstable/block_file.h"
#include "src/db/sstable/table.h"

namespace bloomline::sstable {

// Properties that readers need, and users do not.
struct InternalProperties {
  IndexForm index;
  // In an ingested file, all keys have this sequence number, and their own are 0; 0 in others.
  uint64_t global_sequence = 0;
  std::string compression_manager;  // format_version 7
};

// Reads RocksDB's properties block (table/table_properties.cc, table/meta_blocks.cc) through
// `reader`, which must have random access.
bool ReadProperties(const BlockFile& file, const BlockHandle& handle, BlockReader* reader,
                    Properties* properties, InternalProperties* internal, std::string* error);

struct TableParts {
  BlockFile blocks;
  Properties properties;
  InternalProperties internal;
  BlockHandle index;
  FilterKind filter_kind = FilterKind::kNone;
  std::string filter_name;
  BlockHandle filter;
  BlockHandle dictionary;
  bool has_range_deletions = false;
};

}  // namespace bloomline::sstable

#endif  // BLOOMLINE_DB_SSTABLE_TABLE_PARTS_H_
