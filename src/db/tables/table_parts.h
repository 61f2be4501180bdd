// The parts of a table that Table::Open finds and its readers use. They never change.
#ifndef BLOOMLINE_DB_TABLES_TABLE_PARTS_H_
#define BLOOMLINE_DB_TABLES_TABLE_PARTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/db/tables/block_cursor.h"
#include "src/db/tables/block_file.h"
#include "src/db/tables/table.h"

namespace bloomline::tables {

// Names of a comparator, a filter policy or a prefix extractor, and all names of filters together.
// Results keep them when the table's memory has been given back, and they can be compressed to
// nothing.
constexpr size_t kMaxNameBytes = 64 << 10;

// The entries of a metaindex or properties block by name.
struct NamedValues : std::map<std::string, std::string> {
  std::string_view Text(const char* name) const {
    const auto found = find(name);
    return found == end() ? std::string_view() : std::string_view(found->second);
  }
  // Like RocksDB, these ignore a number that cannot be read.
  uint64_t Number(const char* name, uint64_t otherwise) const;
  uint32_t Fixed32(const char* name, uint32_t otherwise) const;

  // Returns false with *error if the block is damaged or has a name twice. Takes the file's memory:
  // names share bytes, so those of a small crafted block could exceed any.
  bool Read(const BlockFile& file, const char* what, const BlockHandle& handle,
            std::string_view contents, std::string* error);
};

// What a name in the metaindex says of a filter.
struct FilterName {
  explicit FilterName(std::string_view entry);

  FilterKind kind = FilterKind::kNone;
  int rank = 0;  // RocksDB takes the filter of the lowest
  std::string_view name;
};

struct TableParts {
  BlockFile blocks;
  std::map<std::string, BlockHandle> meta;  // the metaindex
  NamedValues stored_properties;
  Properties properties;
  // In an ingested file, all keys have this sequence number, and their own are 0; 0 in others.
  uint64_t global_sequence = 0;
  IndexForm index_form;
  BlockHandle index;
  FilterKind filter_kind = FilterKind::kNone;
  std::string filter_name;
  std::vector<std::string> filter_entries;
  BlockHandle filter;
  BlockHandle dictionary;
  bool has_range_deletions = false;
};

// Reads RocksDB's properties block (table/table_properties.cc, table/meta_blocks.cc) through
// `reader`, which must have random access.
bool ReadProperties(const BlockHandle& handle, BlockReader* reader, TableParts* parts,
                    std::string* error);

}  // namespace bloomline::tables

#endif  // BLOOMLINE_DB_TABLES_TABLE_PARTS_H_
