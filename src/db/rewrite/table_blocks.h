// Where the blocks of a RocksDB table are, and all its properties: what must be known to write the
// table anew. Whatever is not known is refused by name.
#ifndef BLOOMLINE_DB_REWRITE_TABLE_BLOCKS_H_
#define BLOOMLINE_DB_REWRITE_TABLE_BLOCKS_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/db/rewrite/rocksdb_table.h"
#include "src/db/sstable/block_file.h"
#include "src/db/sstable/table.h"
#include "src/db/sstable/table_parts.h"

namespace bloomline::db {

// Names in the properties block.
constexpr const char* kFilterSize = "rocksdb.filter.size";
constexpr const char* kFilterEntries = "rocksdb.num.filter_entries";
constexpr const char* kFilterPolicy = "rocksdb.filter.policy";
constexpr const char* kWholeKeys = "rocksdb.block.based.table.whole.key.filtering";
constexpr const char* kPrefixes = "rocksdb.block.based.table.prefix.filtering";
constexpr const char* kSession = "rocksdb.creating.session.identity";
constexpr const char* kDatabaseId = "rocksdb.creating.db.identity";
constexpr const char* kFileNumber = "rocksdb.original.file.number";
constexpr const char* kTopIndexSize = "rocksdb.top-level.index.size";
constexpr const char* kTailStart = "rocksdb.tail.start.offset";
// Names in the metaindex.
constexpr const char* kPropertiesBlock = "rocksdb.properties";
constexpr const char* kIndexBlock = "rocksdb.index";

struct TableBlocks {
  std::unique_ptr<sstable::Table> table;
  std::map<std::string, sstable::BlockHandle> meta;  // the metaindex
  std::map<std::string, std::string> properties;     // as stored
  // Of an index with two levels: the separators and blocks of its lower level.
  std::vector<std::pair<std::string, sstable::BlockHandle>> index_partitions;

  const sstable::TableParts& parts() const { return table->parts(); }
  // A property that is a number; `otherwise` if it is missing.
  uint64_t Number(const char* name, uint64_t otherwise) const;
};

// Returns kRewritable if all blocks of the table are known and it is what `source` says; otherwise
// *reason is a sentence that begins with the path.
Verdict OpenBlocks(const TableSource& source, TableBlocks* blocks, std::string* reason);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_TABLE_BLOCKS_H_
