#include "src/engines/rocksdb/budget/file_seed.h"

#include <cstdlib>
#include <map>
#include <vector>

#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;

// That it takes to read properties.
Options OptionsToRead(DB* db) {
  Options options(db->GetDBOptions(), ROCKSDB_NAMESPACE::ColumnFamilyOptions());
  options.listeners.clear();
  options.statistics = nullptr;
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  table.no_block_cache = true;
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  return options;
}

}  // namespace

FilterSums FilterSumsIn(const ROCKSDB_NAMESPACE::TableProperties& properties) {
  const bool is_filtered = properties.filter_size != 0 && properties.num_filter_entries != 0;
  return {properties.filter_size,
          is_filtered ? properties.num_filter_entries : properties.num_entries};
}

uint64_t FileNumber(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return std::strtoull(path.c_str() + (slash == std::string::npos ? 0 : slash + 1), nullptr, 10);
}

std::string FilePath(const ROCKSDB_NAMESPACE::SstFileMetaData& file) {
  return file.db_path + (file.name.rfind('/', 0) == 0 ? "" : "/") + file.name;
}

std::string CountLiveFiles(DB* db, FileAccount* account, const std::atomic<bool>& ends) {
  std::vector<ROCKSDB_NAMESPACE::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  // Some versions set file_number in one of RocksDB's lists, but not in another.
  std::map<uint64_t, std::string> paths;
  FileAccount::Numbers live;
  for (const auto& file : files) {
    live.push_back(FileNumber(file.name));
    paths.emplace(live.back(), FilePath(file));
  }
  const std::string& database = db->GetName();
  const Options options = OptionsToRead(db);
  std::string error;
  for (const uint64_t number : account->Await(database, live)) {
    if (ends) break;
    const std::string& path = paths[number];
    ROCKSDB_NAMESPACE::SstFileReader reader(options);
    const Status status = reader.Open(path);
    if (status.ok()) {
      account->Read(database, number, FilterSumsIn(*reader.GetTableProperties()));
      continue;
    }
    account->Remove(database, number);
    if (!options.env->FileExists(path).ok()) continue;  // it was deleted in the meantime
    error = "the filter of " + path + " is not counted: " + status.ToString();
    ROCKSDB_NAMESPACE::Warn(options.info_log, "bloomline: %s", error.c_str());
  }
  return error;
}

}  // namespace bloomline
