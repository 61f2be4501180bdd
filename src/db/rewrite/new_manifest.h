// Writes the MANIFEST of a database whose tables were rewritten: all old records, then one edit for
// each column family. A torn end and an unfinished atomic group of the old file are left out.
#ifndef BLOOMLINE_DB_REWRITE_NEW_MANIFEST_H_
#define BLOOMLINE_DB_REWRITE_NEW_MANIFEST_H_

#include <cstdint>
#include <map>
#include <string>

#include "src/db/rewrite/table_rewrite.h"

namespace bloomline::db {

struct NewTable {
  uint64_t number = 0;
  RewrittenTable table;
};

// Returns false with *error, a sentence, if the MANIFEST at `path` has a tag or field that this
// program does not know, names tables in other folders (db_paths), or has file checksums by another
// function. Done before any table is rewritten. *next_file_number: no file has this number or a
// higher one, as far as the MANIFEST knows.
bool CheckManifest(const std::string& path, uint64_t* next_file_number, std::string* error);

// Writes the new MANIFEST to `out`. `tables` has the new table for each old number that was
// rewritten. next_file_number exceeds the numbers of all files, this MANIFEST's included. New
// numbers must have the order of the old ones: level 0 breaks ties by number.
bool WriteManifest(const std::string& path, const std::map<uint64_t, NewTable>& tables,
                   uint64_t next_file_number, support::ByteSink* out, std::string* error);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_NEW_MANIFEST_H_
