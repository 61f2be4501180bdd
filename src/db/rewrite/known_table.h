// A table all of whose blocks are known, so that it can be written anew. Whatever is not known is
// refused by name.
#ifndef BLOOMLINE_DB_REWRITE_KNOWN_TABLE_H_
#define BLOOMLINE_DB_REWRITE_KNOWN_TABLE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/db/rewrite/table_rewrite.h"
#include "src/db/tables/table.h"
#include "src/db/tables/table_parts.h"

namespace bloomline::db {

// Names in the metaindex.
constexpr const char* kPropertiesBlock = "rocksdb.properties";
constexpr const char* kIndexBlock = "rocksdb.index";
// In the properties block.
constexpr const char* kSession = "rocksdb.creating.session.identity";

struct KnownTable {
  std::unique_ptr<tables::Table> table;
  // If the index has two levels: the separators and blocks of its lower level.
  std::vector<std::pair<std::string, tables::BlockHandle>> index_partitions;

  const tables::TableParts& parts() const { return table->parts(); }

  // Returns kDone if all blocks of the table are known and it is what `source` says.
  Outcome Open(const TableSource& source, std::string* error);
};

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_KNOWN_TABLE_H_
