#include "src/engines/rocksdb/budget/count_files.h"

#include <map>
#include <memory>
#include <vector>

#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/rewrite/live_files.h"
#include "src/support/out_of_memory.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableProperties;

// Ends a count, even if memory runs out.
class CountScope {
 public:
  CountScope(FileAccount* account, const std::string& database)
      : account_(account), database_(database) {
    account_->BeginCount(database_);
  }
  ~CountScope() { account_->EndCount(database_); }
  CountScope(const CountScope&) = delete;
  CountScope& operator=(const CountScope&) = delete;

 private:
  FileAccount* const account_;
  const std::string& database_;
};

// What it takes to read the properties of a database's files.
ROCKSDB_NAMESPACE::Options OptionsToRead(DB* db) {
  ROCKSDB_NAMESPACE::Options options(db->GetDBOptions(), ROCKSDB_NAMESPACE::ColumnFamilyOptions());
  options.listeners.clear();
  options.statistics = nullptr;
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  table.no_block_cache = true;
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  return options;
}

}  // namespace

FilterSums FilterOf(const TableProperties& properties) {
  const bool is_filtered = properties.filter_size != 0 && properties.num_filter_entries != 0;
  return {properties.filter_size,
          is_filtered ? properties.num_filter_entries : properties.num_entries};
}

bool CountLiveFiles(DB* db, bool is_first, FileAccount* account, std::string* error) {
  const std::string& name = db->GetName();
  const CountScope scope(account, name);
  std::vector<ROCKSDB_NAMESPACE::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::map<uint64_t, std::string> paths;
  FileAccount::Numbers live;
  for (const auto& file : files) {
    live.push_back(NumberOf(file));
    paths.emplace(live.back(), PathOf(file));
  }
  const FileAccount::Numbers unknown = account->NotKnown(name, live, is_first);
  if (unknown.empty()) return true;
  const ROCKSDB_NAMESPACE::Options options = OptionsToRead(db);
  bool all_read = true;
  for (const uint64_t number : unknown) {
    ROCKSDB_NAMESPACE::SstFileReader reader(options);
    const std::string& path = paths[number];
    const Status status = reader.Open(path);
    if (status.ok()) {
      account->Find(name, number, FilterOf(*reader.GetTableProperties()));
    } else if (db->GetEnv()->FileExists(path).ok()) {  // and was not deleted in the meantime
      const std::string reason = "the filter of " + path + " is not counted: " + status.ToString();
      support::OrIfOutOfMemory(0, [&] {  // of the Logger: the other files are counted
        ROCKSDB_NAMESPACE::Warn(options.info_log, "bloomline: %s", reason.c_str());
        return 0;
      });
      if (error != nullptr) *error = reason;
      all_read = false;
    }
  }
  return all_read;
}

}  // namespace bloomline
