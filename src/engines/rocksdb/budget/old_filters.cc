#include "src/engines/rocksdb/budget/old_filters.h"

#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"

namespace bloomline::engine {
namespace {

ROCKSDB_NAMESPACE::Options OptionsToRead(ROCKSDB_NAMESPACE::DB* db) {
  ROCKSDB_NAMESPACE::Options options(db->GetDBOptions(), ROCKSDB_NAMESPACE::ColumnFamilyOptions());
  options.listeners.clear();
  options.statistics = nullptr;
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  table.no_block_cache = true;
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  return options;
}

}  // namespace

std::string ReadTables(
    ROCKSDB_NAMESPACE::DB* db, const std::map<uint64_t, std::string>& paths,
    const std::atomic<bool>& ends,
    const std::function<void(uint64_t, const ROCKSDB_NAMESPACE::TableProperties&)>& use) {
  const ROCKSDB_NAMESPACE::Options options = OptionsToRead(db);
  std::string error;
  for (const auto& [number, path] : paths) {
    if (ends) break;
    ROCKSDB_NAMESPACE::SstFileReader reader(options);
    const ROCKSDB_NAMESPACE::Status status = reader.Open(path);
    if (status.ok()) {
      use(number, *reader.GetTableProperties());
    } else if (options.env->FileExists(path).ok()) {
      error = "the filter of " + path + " is not counted: " + status.ToString();
      ROCKSDB_NAMESPACE::Warn(options.info_log, "bloomline: %s", error.c_str());
    }
  }
  return error;
}

}  // namespace bloomline::engine
