// Reads a LevelDB or RocksDB directory (CURRENT, the MANIFEST and OPTIONS) without either engine,
// even while its owner writes. Takes no lock, writes nothing.
//
// Formats: LevelDB doc/impl.md and db/version_edit.cc; RocksDB db/version_edit.cc (RocksDB wiki
// "MANIFEST"), file/filename.cc.
#ifndef BLOOMLINE_DB_TREE_DATABASE_H_
#define BLOOMLINE_DB_TREE_DATABASE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/db/tables/table.h"

namespace bloomline::tree {

// What the MANIFEST says of a table beside its numbers, as stored.
struct StoredFile {
  bool is_leveldb = false;  // LevelDB's tag, without fields
  uint32_t path = 0;        // of db_paths; newer versions of RocksDB have a field for it
  std::string keys;         // smallest and largest; in RocksDB, then their sequence numbers
  std::string fields;       // each has a number and a length; the last one is kEndOfFields
};
constexpr uint32_t kEndOfFields = 1;

struct TableFile {
  std::string path;
  uint64_t number = 0;                    // 0: a file named on the command line
  uint64_t bytes = 0;                     // by the MANIFEST, or the file's size
  int level = -1;                         // -1: unknown, a file on its own
  int column_family = 0;                  // index into Database::column_families
  std::string smallest_key, largest_key;  // user keys
  StoredFile stored;
};

struct ColumnFamily {
  uint32_t id = 0;
  std::string name = "default";
  std::string comparator;
  // The running configuration, from the newest OPTIONS file; RocksDB only.
  std::string filter_policy;     // "bloomfilter:10:false", "{id=bloomline;...}"; empty: unknown
  std::string compaction_style;  // "kCompactionStyleLevel"; empty: unknown
  double level_size_ratio = 10;
  double base_bytes = 256 << 20;         // max_bytes_for_level_base
  double write_buffer_bytes = 64 << 20;  // write_buffer_size
  std::string dynamic_levels;            // level_compaction_dynamic_level_bytes; empty: unknown
  std::string caches_filters;    // cache_index_and_filter_blocks: "true", "false"; empty: unknown
  std::string filters_for_hits;  // ditto, optimize_filters_for_hits
  std::string format_version;    // of new tables, such as "5"; empty: unknown
};

// Write-ahead logs in another folder: RocksDB's wal_dir. The OPTIONS file of a copy may name that
// of the original.
struct OtherLogs {
  std::string folder;  // absolute
  uint64_t bytes = 0;
  std::string problem;  // why the folder, which it names, cannot be listed; empty: it can
};

// Major and minor number: {7, 8} of "7.8.3"; {0, 0} if the text begins with none.
using RocksDBVersion = std::pair<int, int>;
RocksDBVersion VersionOf(const std::string& text);
constexpr RocksDBVersion kFirstWithRibbon(6, 15);
constexpr RocksDBVersion kFirstWithFractions(6, 6);      // of bits in option strings
constexpr RocksDBVersion kFirstWithRibbonFilter(6, 22);  // the name; before, experimental_ribbon
constexpr RocksDBVersion kFirstForBloomline(7, 0);

struct Database {
  std::string path;      // empty: files named on the command line
  std::string manifest;  // the path of the one that CURRENT names
  tables::Engine engine = tables::Engine::kLevelDB;
  bool is_goleveldb = false;  // goleveldb was the last to open it, or wrote filters in it
  std::string pebble_sign;  // what shows that Pebble wrote it, in RocksDB's format; empty: nothing
  // RocksDB's version that last opened the database: "7.8.3"; empty: unknown. LOG says it, or
  // without LOG the newest OPTIONS file, which RocksDB may fail to write.
  std::string rocksdb_version;
  std::vector<ColumnFamily> column_families;  // at least one
  std::vector<TableFile> files;               // by column family, level, and order of keys
  // The size of the folder's write-ahead logs that may hold keys not yet in a table. None for files
  // named on the command line.
  std::optional<uint64_t> log_bytes;
  std::optional<OtherLogs> other_logs;
  std::set<std::string> warnings;  // one sentence for each thing that could not be read
  // Folders with tables in addition to `path`: RocksDB's db_paths and cf_paths, which only LOG
  // names.
  std::vector<std::string> table_folders;
};

// Opens the database directory or table file that one argument names, and appends to *databases.
// All single tables of one engine share one Database. Returns false with *error: the path, and what
// is wrong. `table_folders`: folders in which databases may have more tables.
bool OpenInput(const std::string& path, std::vector<Database>* databases, std::string* error,
               const std::vector<std::string>& table_folders = {});

// Returns false with *error if the folder lacks CURRENT, or is a database of Pebble's.
bool IsDatabase(const std::string& path, std::string* error);

// Reads a folder with CURRENT into an empty Database. Returns false with *error.
bool ReadDirectory(const std::string& path, const std::vector<std::string>& table_folders,
                   Database* database, std::string* error);

}  // namespace bloomline::tree

#endif  // BLOOMLINE_DB_TREE_DATABASE_H_
