// Gives the tables of LevelDB new filters, without LevelDB, and writes the MANIFEST that names
// them. Data blocks and the index are copied byte for byte; the filter block, the metaindex and the
// footer are new. LevelDB has a filter for each 2 KiB of data offsets (table/filter_block.cc).
#ifndef BLOOMLINE_DB_REWRITE_LEVELDB_TABLE_H_
#define BLOOMLINE_DB_REWRITE_LEVELDB_TABLE_H_

#include <cstdint>
#include <map>
#include <string>

#include "bloomline/filter_options.h"
#include "src/db/rewrite/rocksdb_manifest.h"
#include "src/db/rewrite/rocksdb_table.h"

namespace bloomline::db {

// Both are like their namesakes in rocksdb_table.h. `format` is kClassic, kBlocked or kCompact. The
// table keeps the name of its filters; one without filters gets that of LevelDB's own, if the
// comparator is LevelDB's own.
Outcome RewriteLevelDBTable(const TableSource& source, Format format, double bits_per_key,
                            support::ByteSink* out, RewrittenTable* result, std::string* error);
Outcome CheckLevelDBTable(const std::string& path, const TableSource& source,
                          const RewrittenTable& result, std::string* error);

// Like its namesake in rocksdb_manifest.h.
bool WriteLevelDBManifest(const std::string& path, const std::map<uint64_t, NewTable>& tables,
                          uint64_t next_file_number, support::ByteSink* out, std::string* error);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_LEVELDB_TABLE_H_
