// FilterAccount: translates RocksDB's events for a FileAccount.
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "rocksdb/env.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/engines/rocksdb/budget/file_account.h"
#include "src/engines/rocksdb/budget/file_creation.h"
#include "src/engines/rocksdb/budget/file_seed.h"
#include "src/engines/rocksdb/budget/make_account.h"
#include "src/support/set_error.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::CompactionJobInfo;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::TableProperties;

// Writes to the log of a database. RocksDB does not report flushes and compactions that end while
// it is closed, so the last line may lack their outputs.
void LogBytes(const DB* db, const char* when, uint64_t bytes) {
  ROCKSDB_NAMESPACE::Info(db->GetDBOptions().info_log,
                          "bloomline: %s: the filters of the live files take %" PRIu64 " bytes",
                          when, bytes);
}

FileAccount::Numbers NumbersOf(const std::vector<ROCKSDB_NAMESPACE::CompactionFileInfo>& files) {
  FileAccount::Numbers numbers;
  for (const auto& file : files) numbers.push_back(file.file_number);
  return numbers;
}

// A file without a filter now will get none later, so its keys need no memory.
FilterSums NewFilterSums(const TableProperties& properties) {
  return properties.filter_size == 0 ? FilterSums() : FilterSumsIn(properties);
}

// How long the first event waits for the files that were there before. Most databases have so few
// files that all are read by then.
constexpr std::chrono::milliseconds kSeedWait{20};

}  // namespace

struct FilterAccount::Impl {
  // A database between its first event and its end.
  struct Session {
    DB* db = nullptr;
    const ColumnFamilyHandle* default_family = nullptr;
    std::shared_ptr<FileSeed> seed;
  };

  // Ends the session of a database, and waits for its thread without the lock.
  void End(const std::string& database) {
    Session ended;
    {
      const std::lock_guard lock(mutex);
      const auto session = sessions.find(database);
      if (session == sessions.end()) return;
      ended = std::move(session->second);
      sessions.erase(session);
    }
    ended.seed.reset();
    LogBytes(ended.db, "database closed", files->BytesOf(database));
    files->EndDatabase(database);
  }

  // Returns the seed of a database, which begins with the first call; others do not wait for it.
  std::shared_ptr<FileSeed> SeedOf(DB* db) {
    const std::string& name = db->GetName();
    std::shared_ptr<FileSeed> seed;
    {
      const std::lock_guard lock(mutex);
      Session& session = sessions[name];
      if (session.seed != nullptr) return session.seed;
      seed = std::make_shared<FileSeed>(db, files);
      session = Session{db, db->DefaultColumnFamily(), seed};
      files->BeginDatabase(name);
    }
    seed->Start(db);
    seed->WaitFor(kSeedWait);
    LogBytes(db, files->is_complete() ? "files counted" : "files counted so far",
             files->BytesOf(name));
    return seed;
  }

  const std::shared_ptr<FileAccount> files = std::make_shared<FileAccount>();
  std::mutex mutex;
  std::map<std::string, Session> sessions;
};

FilterAccount::FilterAccount(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FilterAccount::~FilterAccount() = default;

uint64_t FilterAccount::filter_bytes() const { return impl_->files->sums().bytes; }
uint64_t FilterAccount::num_keys() const { return impl_->files->sums().live_keys(); }

bool FilterAccount::CountFiles(DB* db, std::string* error) {
  DB* const root = db->GetRootDB();
  const std::shared_ptr<FileSeed> seed = impl_->SeedOf(root);
  seed->List(root);
  return seed->ReadAll(error);
}

void FilterAccount::OnTableFileCreationStarted(
    const ROCKSDB_NAMESPACE::TableFileCreationBriefInfo&) noexcept {
  BeginFileCreation(impl_->files);
}

void FilterAccount::OnTableFileCreated(
    const ROCKSDB_NAMESPACE::TableFileCreationInfo& info) noexcept {
  EndFileCreation();
  const uint64_t number = FileNumber(info.file_path);
  if (!info.status.ok() || number == 0) return;
  impl_->files->Create(info.db_name, number, info.job_id, NewFilterSums(info.table_properties));
}

void FilterAccount::OnTableFileDeleted(
    const ROCKSDB_NAMESPACE::TableFileDeletionInfo& info) noexcept {
  // A file that could not be deleted is not live either.
  impl_->files->Remove(info.db_name, FileNumber(info.file_path));
}

void FilterAccount::OnFlushBegin(DB* db, const ROCKSDB_NAMESPACE::FlushJobInfo&) noexcept {
  EndFileCreation();  // of a job that failed
  impl_->SeedOf(db);
}

void FilterAccount::OnCompactionBegin(DB* db, const CompactionJobInfo& info) noexcept {
  EndFileCreation();
  impl_->SeedOf(db);
  impl_->files->BeginCompaction(db->GetName(), info.job_id, NumbersOf(info.input_file_infos));
}

void FilterAccount::OnCompactionCompleted(DB* db, const CompactionJobInfo& info) noexcept {
  EndFileCreation();
  const std::string& name = db->GetName();
  // RocksDB reports the copy of a file to another device here alone.
  const bool is_copy =
      info.compaction_reason == ROCKSDB_NAMESPACE::CompactionReason::kChangeTemperature;
  const FileAccount::Numbers outputs = NumbersOf(info.output_file_infos);
  for (size_t i = 0; is_copy && info.status.ok() && i < outputs.size(); ++i) {
    const auto found = info.table_properties.find(info.output_files[i]);
    if (found == info.table_properties.end()) continue;
    impl_->files->Find(name, outputs[i], FilterSumsIn(*found->second));
  }
  impl_->files->EndCompaction(name, info.job_id, info.status.ok(), NumbersOf(info.input_file_infos),
                              outputs);
}

void FilterAccount::OnExternalFileIngested(
    DB* db, const ROCKSDB_NAMESPACE::ExternalFileIngestionInfo& info) noexcept {
  impl_->SeedOf(db);
  impl_->files->Find(db->GetName(), FileNumber(info.internal_file_path),
                     FilterSumsIn(info.table_properties));
}

void FilterAccount::OnColumnFamilyHandleDeletionStarted(ColumnFamilyHandle* handle) noexcept {
  // A database deletes its own handle of the default column family when it is closed.
  std::string ended;
  {
    const std::lock_guard lock(impl_->mutex);
    for (const auto& [database, session] : impl_->sessions) {
      if (session.default_family == handle) ended = database;
    }
  }
  if (!ended.empty()) impl_->End(ended);
}

const void* FilterAccount::GetOptionsPtr(const std::string& name) const {
  return name == kFilterAccountName ? this : EventListener::GetOptionsPtr(name);
}

std::unique_ptr<FilterAccount> MakeFilterAccount() {
  return std::unique_ptr<FilterAccount>(new FilterAccount(std::make_unique<FilterAccount::Impl>()));
}

std::shared_ptr<FilterAccount> NewFilterAccount(std::string* error) {
  std::string refusal;
  std::shared_ptr<FilterAccount> account =
      support::OrError(&refusal, [](std::string* reason) -> std::shared_ptr<FilterAccount> {
        *reason = RocksDBVersionMismatch();
        if (!reason->empty() || !RegisterBloomline()) return nullptr;
        return MakeFilterAccount();
      });
  if (account != nullptr) return account;
  support::SetError(refusal, error);
  if (error == nullptr) std::fprintf(stderr, "bloomline: no FilterAccount: %s\n", refusal.c_str());
  return nullptr;
}

}  // namespace bloomline
