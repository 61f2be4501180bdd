// A LevelDB or RocksDB directory, read without either engine, also while its owner writes: CURRENT,
// the MANIFEST and OPTIONS. Takes no lock, writes nothing.
//
// Formats: LevelDB doc/impl.md and db/version_edit.cc; RocksDB db/version_edit.cc (RocksDB wiki
// "MANIFEST"), file/filename.cc.
#ifndef BLOOMLINE_DB_DIRECTORY_DATABASE_H_
#define BLOOMLINE_DB_DIRECTORY_DATABASE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/db/sstable/table.h"

namespace bloomline::directory {

struct TableFile {
  std::string path;
  uint64_t number = 0;                    // 0: a file named on the command line
  uint64_t bytes = 0;                     // as the MANIFEST says, or as the file is
  int level = -1;                         // -1: unknown, a file on its own
  int column_family = 0;                  // index into Database::column_families
  std::string smallest_key, largest_key;  // user keys
  // The MANIFEST names it, did not change meanwhile, and no folder of the database has it.
  bool is_missing = false;
};

struct ColumnFamily {
  uint32_t id = 0;
  std::string name = "default";
  std::string comparator;
  // The running configuration, from the newest OPTIONS file; RocksDB only.
  std::string filter_policy;     // "bloomfilter:10:false", "{id=bloomline;...}"; empty: unknown
  std::string compaction_style;  // "kCompactionStyleLevel"; empty: unknown
  double level_size_ratio = 10;
  bool caches_filters = false;  // cache_index_and_filter_blocks
};

struct Database {
  std::string path;  // empty: files named on the command line
  sstable::Engine engine = sstable::Engine::kLevelDB;
  std::vector<ColumnFamily> column_families;  // at least one
  std::vector<TableFile> files;               // by column family, level, and key order in it
  std::vector<std::string> warnings;          // what could not be read, one sentence each
  // Where tables are beside `path`: RocksDB's db_paths and cf_paths, which no file but LOG names.
  std::vector<std::string> table_folders;
};

// What one argument names: a database directory, a table file, or a list of either: "@FILE", one
// path per line; "@-" or "-" is the list on stdin. Table files of a list become one Database for
// each engine; a path of a list that does not exist (any more) counts as a table, and Table::Open
// says so. Appends to *databases. False with *error: the path, and what is wrong. `table_folders`:
// where databases may have more tables.
bool OpenInput(const std::string& argument, std::vector<Database>* databases, std::string* error,
               const std::vector<std::string>& table_folders = {});

// The files again, from a MANIFEST that may have changed: for files that vanished meanwhile. Does
// nothing for files named on the command line. After false the database is as it was.
bool Refresh(Database* database, std::string* error);

// A folder with CURRENT. False with *error.
bool ReadDirectory(const std::string& path, const std::vector<std::string>& table_folders,
                   Database* database, std::string* error);

}  // namespace bloomline::directory

#endif  // BLOOMLINE_DB_DIRECTORY_DATABASE_H_
