// FilterAccount: what RocksDB's events mean for a FileAccount.
#include "src/engines/rocksdb/budget/account_listener.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bloomline/rocksdb.h"
#include "rocksdb/env.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/budget/file_account.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/builder/layout_check.h"
#include "src/support/set_error.h"

namespace bloomline::engine {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::CompactionJobInfo;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::TableProperties;

// The number in a path such as DIR/000123.sst; 0 if it lacks one ("(nil)").
uint64_t FileNumber(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return std::strtoull(path.c_str() + (slash == std::string::npos ? 0 : slash + 1), nullptr, 10);
}

FileAccount::FileNumbers NumbersIn(
    const std::vector<ROCKSDB_NAMESPACE::CompactionFileInfo>& files) {
  FileAccount::FileNumbers numbers;
  for (const auto& file : files) numbers.push_back(file.file_number);
  return numbers;
}

FilterSize FilterSizeIn(const TableProperties& properties) {
  const bool is_filtered = properties.filter_size != 0 && properties.num_filter_entries != 0;
  return {properties.filter_size,
          is_filtered ? properties.num_filter_entries : properties.num_entries};
}

// A file that has no filter now will get none later, so its keys need no memory.
FilterSize NewFilterSize(const TableProperties& properties) {
  return properties.filter_size == 0 ? FilterSize() : FilterSizeIn(properties);
}

// The options that reading properties needs.
Options OptionsToRead(DB* db) {
  Options options(db->GetDBOptions(), ROCKSDB_NAMESPACE::ColumnFamilyOptions());
  options.listeners.clear();
  options.statistics = nullptr;
  BlockBasedTableOptions table;
  table.no_block_cache = true;
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  return options;
}

// Adds the files that a database has without an event: those that existed before the first event,
// and that the account does not know. Reads the properties of each from the file: RocksDB gives
// them by column family, and an event has no handle of one. Ends early once `ends` is true. Returns
// an empty string, or the reason why a file cannot be read, which the database's log has, too.
std::string CountLiveFiles(DB* db, FileAccount* account, const std::atomic<bool>& ends) {
  std::vector<ROCKSDB_NAMESPACE::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  // Some versions set file_number in one of RocksDB's lists, but not in another.
  std::map<uint64_t, std::string> paths;
  FileAccount::FileNumbers live;
  for (const auto& file : files) {
    live.push_back(FileNumber(file.name));
    const bool has_slash = file.name.rfind('/', 0) == 0;
    paths.emplace(live.back(), file.db_path + (has_slash ? "" : "/") + file.name);
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
      account->Read(database, number, FilterSizeIn(*reader.GetTableProperties()));
      continue;
    }
    account->Remove(database, number);
    if (!options.env->FileExists(path).ok()) continue;  // it was deleted in the meantime
    error = "the filter of " + path + " is not counted: " + status.ToString();
    ROCKSDB_NAMESPACE::Warn(options.info_log, "bloomline: %s", error.c_str());
  }
  return error;
}

// How long the first event waits for the files that existed before it. Most databases have so few
// files that all are read by then.
constexpr std::chrono::milliseconds kSeedWait{20};

class AccountListener final : public FilterAccount {
 public:
  ~AccountListener() override {
    for (const auto& [database, session] : sessions_) EndSeed(session);
  }

  uint64_t filter_bytes() const override { return files_->sums().bytes; }
  uint64_t num_keys() const override { return files_->sums().live_keys(); }

  bool CountFiles(DB* db, std::string* error) override {
    DB* const root = db->GetRootDB();
    Begin(root).wait();
    return !support::IsRefused(CountLiveFiles(root, files_.get(), false), error);
  }

  void OnTableFileCreationStarted(
      const ROCKSDB_NAMESPACE::TableFileCreationBriefInfo& info) noexcept override {
    const bool is_flush = info.reason == ROCKSDB_NAMESPACE::TableFileCreationReason::kFlush ||
                          info.reason == ROCKSDB_NAMESPACE::TableFileCreationReason::kRecovery;
    BeginFileCreation({files_, info.db_name, info.cf_name, info.job_id, is_flush});
  }

  void OnTableFileCreated(const ROCKSDB_NAMESPACE::TableFileCreationInfo& info) noexcept override {
    EndFileCreation();
    const uint64_t number = FileNumber(info.file_path);
    if (!info.status.ok() || number == 0) return;
    files_->Create(info.db_name, number, info.job_id, NewFilterSize(info.table_properties));
  }

  void OnTableFileDeleted(const ROCKSDB_NAMESPACE::TableFileDeletionInfo& info) noexcept override {
    // A file that could not be deleted is not live either.
    files_->Remove(info.db_name, FileNumber(info.file_path));
  }

  void OnFlushBegin(DB* db, const ROCKSDB_NAMESPACE::FlushJobInfo&) noexcept override {
    EndFileCreation();  // of a job that failed
    Begin(db);
  }

  void OnCompactionBegin(DB* db, const CompactionJobInfo& info) noexcept override {
    EndFileCreation();
    Begin(db);
    files_->BeginCompaction(db->GetName(), info.job_id, NumbersIn(info.input_file_infos));
  }

  void OnCompactionCompleted(DB* db, const CompactionJobInfo& info) noexcept override {
    EndFileCreation();
    const std::string& name = db->GetName();
    // RocksDB reports the copy of a file to another device only here.
    const bool is_copy =
        info.compaction_reason == ROCKSDB_NAMESPACE::CompactionReason::kChangeTemperature;
    const FileAccount::FileNumbers outputs = NumbersIn(info.output_file_infos);
    for (size_t i = 0; is_copy && info.status.ok() && i < outputs.size(); ++i) {
      const auto found = info.table_properties.find(info.output_files[i]);
      if (found == info.table_properties.end()) continue;
      files_->Find(name, outputs[i], FilterSizeIn(*found->second));
    }
    files_->EndCompaction(name, info.job_id, info.status.ok(), NumbersIn(info.input_file_infos),
                          outputs);
  }

  void OnExternalFileIngested(
      DB* db, const ROCKSDB_NAMESPACE::ExternalFileIngestionInfo& info) noexcept override {
    Begin(db);
    const uint64_t number = FileNumber(info.internal_file_path);
    files_->Find(db->GetName(), number, FilterSizeIn(info.table_properties));
    // A compaction may have dropped the file, and the account was told of that first. If the file
    // is deleted later, OnTableFileDeleted follows.
    if (db->GetEnv()->FileExists(info.internal_file_path).IsNotFound()) {
      files_->Remove(db->GetName(), number);
    }
  }

  void OnColumnFamilyHandleDeletionStarted(ColumnFamilyHandle* handle) noexcept override {
    // A database deletes its own handle of the default column family when it is closed.
    std::string ended;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [database, session] : sessions_) {
        if (session.default_family == handle) ended = database;
      }
    }
    if (!ended.empty()) End(ended);
  }

 private:
  // A database between its first event and its end. A thread reads the old files, because the write
  // that waits for the first event would otherwise wait for all of them.
  struct DatabaseSession {
    const ColumnFamilyHandle* default_family = nullptr;
    std::shared_ptr<std::atomic<bool>> ends = std::make_shared<std::atomic<bool>>(false);
    std::shared_future<void> seed;
  };

  static void EndSeed(const DatabaseSession& session) {
    *session.ends = true;
    if (session.seed.valid()) session.seed.wait();
  }

  // Ends the session of a database, and waits for its thread without the lock.
  void End(const std::string& database) {
    DatabaseSession ended;
    {
      const std::lock_guard lock(mutex_);
      const auto session = sessions_.find(database);
      if (session == sessions_.end()) return;
      ended = std::move(session->second);
      sessions_.erase(session);
    }
    EndSeed(ended);
    files_->EndDatabase(database);
  }

  // Begins a session with the first call for a database; others do not wait. Returns the end of the
  // session's seed.
  std::shared_future<void> Begin(DB* db) {
    std::shared_future<void> seed;
    {
      const std::lock_guard lock(mutex_);
      DatabaseSession& session = sessions_[db->GetName()];
      if (session.seed.valid()) return session.seed;
      session.default_family = db->DefaultColumnFamily();
      files_->BeginDatabase(db->GetName());
      const auto read = [db, account = files_, ends = session.ends]() noexcept {
        CountLiveFiles(db, account.get(), *ends);
      };
      try {
        session.seed = std::async(std::launch::async, read);
      } catch (const std::system_error&) {  // the process may have no further thread
        session.seed = std::async(std::launch::deferred, read);
      }
      seed = session.seed;
    }
    if (seed.wait_for(kSeedWait) == std::future_status::deferred) seed.wait();
    return seed;
  }

  const std::shared_ptr<FileAccount> files_ = std::make_shared<FileAccount>();
  std::mutex mutex_;
  std::map<std::string, DatabaseSession> sessions_;
};

}  // namespace

std::unique_ptr<FilterAccount> MakeFilterAccount() { return std::make_unique<AccountListener>(); }

}  // namespace bloomline::engine

namespace bloomline {

FilterAccount::~FilterAccount() = default;

std::shared_ptr<FilterAccount> NewFilterAccount(std::string* error) {
  return support::OrReport("FilterAccount", error,
                           [](std::string* reason) -> std::shared_ptr<FilterAccount> {
                             *reason = engine::RocksDBMismatch();
                             if (!reason->empty() || !RegisterBloomline()) return nullptr;
                             return engine::MakeFilterAccount();
                           });
}

}  // namespace bloomline
