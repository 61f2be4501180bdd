#include "src/engines/rocksdb/budget/file_seed.h"

#include <cstdlib>
#include <map>
#include <system_error>

#include "rocksdb/env.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Status;

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

FileSeed::FileSeed(DB* db, std::shared_ptr<FileAccount> account)
    : database_(db->GetName()), account_(std::move(account)), options_(OptionsToRead(db)) {}

FileSeed::~FileSeed() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

void FileSeed::List(DB* db) {
  std::vector<ROCKSDB_NAMESPACE::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  std::map<uint64_t, std::string> paths;
  FileAccount::Numbers live;
  for (const auto& file : files) {
    live.push_back(FileNumber(file.name));
    paths.emplace(live.back(), FilePath(file));
  }
  const FileAccount::Numbers awaited = account_->Await(database_, live);
  const std::lock_guard lock(mutex_);
  for (const uint64_t number : awaited) listed_.emplace_back(number, paths[number]);
}

void FileSeed::Start(DB* db) {
  {
    const std::lock_guard lock(mutex_);
    ++num_reading_;
  }
  const auto run = [this, db] {
    List(db);
    {
      const std::lock_guard lock(mutex_);
      --num_reading_;
    }
    ReadListed();
  };
  try {
    thread_ = std::thread(run);
  } catch (const std::system_error&) {  // the process has reached its limit of threads
    run();
  }
}

void FileSeed::WaitFor(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, time, [this] { return listed_.empty() && num_reading_ == 0; });
}

bool FileSeed::ReadAll(std::string* error) {
  {
    const std::lock_guard lock(mutex_);
    error_.clear();
  }
  ReadListed();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return listed_.empty() && num_reading_ == 0; });
  if (error != nullptr && !error_.empty()) *error = error_;
  return error_.empty();
}

void FileSeed::ReadListed() {
  std::unique_lock lock(mutex_);
  while (!ends_ && !listed_.empty()) {
    const NumberAndPath file = std::move(listed_.back());
    listed_.pop_back();
    ++num_reading_;
    lock.unlock();
    ReadFile(file);
    lock.lock();
    --num_reading_;
  }
  changed_.notify_all();
}

void FileSeed::ReadFile(const NumberAndPath& file) {
  const auto& [number, path] = file;
  ROCKSDB_NAMESPACE::SstFileReader reader(options_);
  const Status status = reader.Open(path);
  if (status.ok()) {
    account_->Read(database_, number, FilterSumsIn(*reader.GetTableProperties()));
    return;
  }
  account_->Remove(database_, number);
  if (!options_.env->FileExists(path).ok()) return;  // it was deleted in the meantime
  const std::string reason = "the filter of " + path + " is not counted: " + status.ToString();
  ROCKSDB_NAMESPACE::Warn(options_.info_log, "bloomline: %s", reason.c_str());
  const std::lock_guard lock(mutex_);
  error_ = reason;
}

}  // namespace bloomline
