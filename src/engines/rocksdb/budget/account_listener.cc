// FilterAccount: what RocksDB's events mean for a FileAccount.
#include "src/engines/rocksdb/budget/account_listener.h"

#include <algorithm>
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
#include "src/engines/rocksdb/budget/file_account.h"
#include "src/engines/rocksdb/budget/limited_memory.h"
#include "src/engines/rocksdb/budget/old_filters.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/engines/rocksdb/builder/layout_check.h"
#include "src/support/set_error.h"

namespace bloomline::engine {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::CompactionFileInfo;
using ROCKSDB_NAMESPACE::CompactionJobInfo;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::LiveFileMetaData;
using ROCKSDB_NAMESPACE::TableFileCreationReason;
using ROCKSDB_NAMESPACE::TableProperties;

// The number in a path such as DIR/000123.sst; 0 if it lacks one ("(nil)").
uint64_t FileNumber(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return std::strtoull(path.c_str() + (slash == std::string::npos ? 0 : slash + 1), nullptr, 10);
}

bool IsFlush(TableFileCreationReason reason) {
  return reason == TableFileCreationReason::kFlush || reason == TableFileCreationReason::kRecovery;
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

uint64_t FileBytes(const TableProperties& properties) {
  return properties.data_size + properties.index_size + properties.filter_size;
}

// `level` of an input is the place of its level among those of the inputs, not a level.
std::vector<InputFile> InputsOf(const CompactionJobInfo& info) {
  std::vector<InputFile> inputs;
  for (size_t i = 0; i < info.input_file_infos.size(); ++i) {
    InputFile input;
    input.number = info.input_file_infos[i].file_number;
    input.is_at_base = info.input_file_infos[i].level == 0;
    const auto properties = info.table_properties.find(info.input_files[i]);
    if (properties != info.table_properties.end()) {
      input.filter = FilterSizeIn(*properties->second);
      input.file_bytes = FileBytes(*properties->second);
    }
    inputs.push_back(input);
  }
  return inputs;
}

// Some versions set file_number in one of RocksDB's lists, but not in another.
std::vector<LiveFileMetaData> LiveFiles(DB* db) {
  std::vector<LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  for (LiveFileMetaData& file : files) file.file_number = FileNumber(file.name);
  return files;
}

// An event names no column family of which options could be asked, so the options of the default
// one must do for all.
LevelOptions LevelOptionsOf(DB* db) {
  const ROCKSDB_NAMESPACE::Options options = db->GetOptions();
  LevelOptions levels;
  levels.targets.has_levels =
      options.compaction_style != ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
  levels.targets.is_dynamic = options.level_compaction_dynamic_level_bytes;
  levels.targets.ratio = options.max_bytes_for_level_multiplier;
  levels.base_bytes = static_cast<double>(options.max_bytes_for_level_base);
  levels.skips_last_level = options.optimize_filters_for_hits;
  return levels;
}

std::vector<ListedFile> ListFiles(DB* db, LevelOptions* options) {
  *options = LevelOptionsOf(db);
  std::vector<ListedFile> listed;
  for (const LiveFileMetaData& file : LiveFiles(db)) {
    listed.push_back(
        {file.file_number, file.column_family_name, file.level, file.size, file.num_entries});
  }
  return listed;
}

// Reads the filters that the account assumes. Returns what ReadTables does.
std::string ReadAssumed(DB* db, FileAccount* account, const std::atomic<bool>& ends) {
  const std::string& database = db->GetName();
  std::map<uint64_t, std::string> live;
  for (const LiveFileMetaData& file : LiveFiles(db)) {
    const bool has_slash = file.name.rfind('/', 0) == 0;
    live.emplace(file.file_number, file.db_path + (has_slash ? "" : "/") + file.name);
  }
  std::map<uint64_t, std::string> paths;
  for (const uint64_t number : account->Assumed(database)) {
    const auto found = live.find(number);
    if (found != live.end()) paths.insert(*found);
  }
  return ReadTables(db, paths, ends, [&](uint64_t number, const TableProperties& properties) {
    account->Read(database, number, FilterSizeIn(properties));
  });
}

// Locks no lock of RocksDB, nor FileAccount's, under its own.
class AccountListener final : public FilterAccount {
 public:
  explicit AccountListener(bool is_named) : is_named_(is_named) {}
  ~AccountListener() override {
    for (auto& [database, session] : sessions_) EndReader(&session);
  }

  const void* GetOptionsPtr(const std::string& name) const override {
    return name == kOwnAccount ? this : FilterAccount::GetOptionsPtr(name);
  }

  std::string GetId() const override { return is_named_ ? FilterAccount::GetId() : ""; }

  uint64_t filter_bytes() const override { return files_->sums().bytes; }
  uint64_t num_keys() const override { return files_->sums().live_keys(); }

  bool CountFiles(DB* db, std::string* error) override {
    DB* const root = db->GetRootDB();
    if (!Hears(root)) {
      support::SetError(root->GetName() + " has another listener, or none", error);
      return false;
    }
    files_->ListAgain(root->GetName());
    Begin(root);
    return !support::IsRefused(ReadAssumed(root, files_.get(), false), error);
  }

  void OnTableFileCreationStarted(
      const ROCKSDB_NAMESPACE::TableFileCreationBriefInfo& info) noexcept override {
    BeginFileCreation({files_, info.db_name, info.cf_name, info.job_id, IsFlush(info.reason)});
  }

  void OnTableFileCreated(const ROCKSDB_NAMESPACE::TableFileCreationInfo& info) noexcept override {
    const FileCreation begun = EndFileCreation();
    const uint64_t number = FileNumber(info.file_path);
    if (!info.status.ok() || number == 0) return;
    FileCreation creation{files_, info.db_name, info.cf_name, info.job_id, IsFlush(info.reason)};
    creation.level = begun.level;
    files_->Create(creation, number, NewFilterSize(info.table_properties), info.file_size);
  }

  void OnTableFileDeleted(const ROCKSDB_NAMESPACE::TableFileDeletionInfo& info) noexcept override {
    // A file that could not be deleted is not live either.
    files_->Remove(info.db_name, FileNumber(info.file_path));
  }

  void OnFlushBegin(DB* db, const ROCKSDB_NAMESPACE::FlushJobInfo& info) noexcept override {
    EndFileCreation();  // of a job that failed
    Begin(db);
    files_->BeginFamily(db->GetName(), info.cf_name, info.cf_id);
  }

  void OnCompactionBegin(DB* db, const CompactionJobInfo& info) noexcept override {
    EndFileCreation();
    Begin(db);
    files_->BeginFamily(db->GetName(), info.cf_name, info.cf_id);
    files_->BeginCompaction(db->GetName(), info.cf_name, info.job_id, info.base_input_level,
                            info.output_level, InputsOf(info));
  }

  void OnCompactionCompleted(DB* db, const CompactionJobInfo& info) noexcept override {
    EndFileCreation();
    std::vector<OutputFile> outputs;
    for (const CompactionFileInfo& file : info.output_file_infos) {
      outputs.push_back({file.file_number, file.level});
    }
    files_->EndCompaction(db->GetName(), info.cf_name, info.job_id, info.status.ok(), outputs);
  }

  void OnExternalFileIngested(
      DB* db, const ROCKSDB_NAMESPACE::ExternalFileIngestionInfo& info) noexcept override {
    Begin(db, false);  // one of many files
    const uint64_t number = FileNumber(info.internal_file_path);
    files_->Find(db->GetName(), info.cf_name, number, FilterSizeIn(info.table_properties),
                 FileBytes(info.table_properties));
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
  // A database between its first event and its end.
  struct DatabaseSession {
    const ColumnFamilyHandle* default_family = nullptr;
    bool has_unread = false;  // files were listed after the reader began
    std::shared_ptr<std::atomic<bool>> ends = std::make_shared<std::atomic<bool>>(false);
    std::future<void> reader;
  };

  // Whether this is among the listeners, so that events of the database come here.
  bool Hears(DB* db) const {
    const auto listeners = db->GetDBOptions().listeners;
    return std::any_of(listeners.begin(), listeners.end(),
                       [this](const auto& listener) { return listener.get() == this; });
  }

  static void EndReader(DatabaseSession* session) {
    *session->ends = true;
    if (session->reader.valid()) session->reader.wait();
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
    EndReader(&ended);
    files_->EndDatabase(database);
  }

  // Begins a session with the first call for a database.
  void Begin(DB* db, bool lists_again = true) {
    {
      const std::lock_guard lock(mutex_);
      sessions_[db->GetName()].default_family = db->DefaultColumnFamily();
    }
    const auto list = [db](LevelOptions* options) { return ListFiles(db, options); };
    const bool is_listed = files_->BeginDatabase(db->GetName(), list, lists_again);
    const bool wants_sizes = files_->wants_sizes();
    const std::lock_guard lock(mutex_);
    DatabaseSession& session = sessions_[db->GetName()];
    session.has_unread |= is_listed;
    if (wants_sizes && session.has_unread) BeginReader(db, &session);
  }

  // Reads old files in a thread, unless one runs: a write that waited for all of them would take
  // long.
  void BeginReader(DB* db, DatabaseSession* session) {
    if (session->reader.valid() &&
        session->reader.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
      return;
    }
    session->has_unread = false;
    const auto read = [db, account = files_, ends = session->ends]() noexcept {
      ReadAssumed(db, account.get(), *ends);
    };
    try {
      session->reader = std::async(std::launch::async, read);
    } catch (const std::system_error&) {  // the process may have no further thread
      session->has_unread = true;         // the next event tries again
    }
  }

  const bool is_named_;
  const std::shared_ptr<FileAccount> files_ = std::make_shared<FileAccount>();
  std::mutex mutex_;
  std::map<std::string, DatabaseSession> sessions_;
};

}  // namespace

std::unique_ptr<FilterAccount> MakeFilterAccount() {
  return std::make_unique<AccountListener>(/*is_named=*/true);
}

std::unique_ptr<FilterAccount> MakeUnnamedAccount() {
  return std::make_unique<AccountListener>(/*is_named=*/false);
}

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
