// FilterAccount: what RocksDB's events mean for a FileAccount.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "rocksdb/env.h"
#include "src/engines/rocksdb/budget/count_files.h"
#include "src/engines/rocksdb/budget/file_account.h"
#include "src/engines/rocksdb/budget/file_creation.h"
#include "src/engines/rocksdb/budget/make_account.h"
#include "src/engines/rocksdb/policy.h"
#include "src/support/out_of_memory.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::CompactionJobInfo;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::TableProperties;

// Of a path such as DIR/000123.sst. 0: it has no number ("(nil)").
uint64_t NumberIn(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return std::strtoull(path.c_str() + (slash == std::string::npos ? 0 : slash + 1), nullptr, 10);
}

// In the log of a database. RocksDB does not report flushes and compactions that end while it is
// closed, so the last line may lack their outputs.
void LogBytes(const DB* db, const char* when, uint64_t bytes) {
  support::OrIfOutOfMemory(0, [&] {
    ROCKSDB_NAMESPACE::Info(db->GetDBOptions().info_log,
                            "bloomline: %s: the filters of the live files take %" PRIu64 " bytes",
                            when, bytes);
    return 0;
  });
}

FileAccount::Numbers InputsOf(const CompactionJobInfo& info) {
  FileAccount::Numbers numbers;
  for (const auto& file : info.input_file_infos) numbers.push_back(file.file_number);
  return numbers;
}

// A file that gets no filter now will get none later, so its keys need no memory.
FilterSums NewFilterOf(const TableProperties& properties) {
  return properties.filter_size == 0 ? FilterSums() : FilterOf(properties);
}

}  // namespace

struct FilterAccount::Impl {
  // A database between its first event and its end.
  struct Session {
    const DB* db = nullptr;
    const ColumnFamilyHandle* default_family = nullptr;
    // Their files are counted. Those of an imported column family come without an event.
    std::set<uint32_t> families;
  };

  // Runs an event. Out of memory, the next event of a database counts its files again.
  template <typename F>
  void Run(const std::string& database, F event) {
    const bool is_done = support::OrIfOutOfMemory(false, [&] {
      event();
      return true;
    });
    if (is_done) return;
    const std::lock_guard lock(mutex);
    const auto session = sessions.find(database);
    if (session != sessions.end()) session->second.families.clear();
  }

  // Other first events wait until the count has ended, so that no filter is made before that.
  void CountOnce(DB* db, uint32_t family) {
    const std::lock_guard lock(mutex);
    Session& session = sessions[db->GetName()];
    if (session.db == db && session.families.count(family) != 0) return;
    CountNow(db, &session, nullptr);
    session.families.insert(family);
  }

  // The next event of each family counts the files again.
  void ForgetFamilies() {
    const std::lock_guard lock(mutex);
    for (auto& [database, session] : sessions) session.families.clear();
  }

  // Its files are counted at its first event with a DB*, or its end would be missed.
  bool IsCounted(const std::string& database) {
    const std::lock_guard lock(mutex);
    return sessions.count(database) != 0;
  }

  bool CountNow(DB* db, Session* session, std::string* error) {
    const bool is_first = session->db != db;
    if (is_first) {
      if (session->db != nullptr) files->Forget(db->GetName());
      *session = Session{db, db->DefaultColumnFamily(), {}};
    }
    const bool all_read = CountLiveFiles(db, is_first, files.get(), error);
    if (is_first) LogBytes(db, "files counted", files->BytesOf(db->GetName()));
    return all_read;
  }

  const std::shared_ptr<FileAccount> files = std::make_shared<FileAccount>();
  std::mutex mutex;
  std::map<std::string, Session> sessions;
};

FilterAccount::FilterAccount(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FilterAccount::~FilterAccount() = default;

uint64_t FilterAccount::filter_bytes() const { return impl_->files->sums().live.bytes; }
uint64_t FilterAccount::num_keys() const { return impl_->files->sums().live.keys; }

bool FilterAccount::CountFiles(DB* db, std::string* error) {
  return support::OrError(error, [&](std::string* reason) {
    DB* const root = db->GetRootDB();
    const std::lock_guard lock(impl_->mutex);
    return impl_->CountNow(root, &impl_->sessions[root->GetName()], reason);
  });
}

void FilterAccount::OnTableFileCreationStarted(
    const ROCKSDB_NAMESPACE::TableFileCreationBriefInfo&) {
  BeginFileCreation(impl_->files->id());
}

void FilterAccount::OnTableFileCreated(const ROCKSDB_NAMESPACE::TableFileCreationInfo& info) {
  EndFileCreation();
  const uint64_t number = NumberIn(info.file_path);
  using Reason = ROCKSDB_NAMESPACE::TableFileCreationReason;
  // DB::Open, which writes files from the log, need not wait for the counts of other databases.
  if (!info.status.ok() || number == 0 || info.reason == Reason::kRecovery) return;
  impl_->Run(info.db_name, [&] {
    if (!impl_->IsCounted(info.db_name)) return;
    impl_->files->Create(info.db_name, number, info.job_id, info.reason == Reason::kFlush,
                         NewFilterOf(info.table_properties));
  });
}

void FilterAccount::OnTableFileDeleted(const ROCKSDB_NAMESPACE::TableFileDeletionInfo& info) {
  // A file that could not be deleted is not live either.
  impl_->Run(info.db_name, [&] { impl_->files->Remove(info.db_name, NumberIn(info.file_path)); });
}

void FilterAccount::OnFlushBegin(DB* db, const ROCKSDB_NAMESPACE::FlushJobInfo& info) {
  EndFileCreation();  // of a job that failed
  impl_->Run(db->GetName(), [&] { impl_->CountOnce(db, info.cf_id); });
}

void FilterAccount::OnFlushCompleted(DB* db, const ROCKSDB_NAMESPACE::FlushJobInfo& info) {
  // A flush of nothing, such as a key that was deleted again, has the number of a file that is not
  // there. Nothing would remove it from the account.
  if (info.table_properties.num_entries == 0 && info.table_properties.filter_size == 0) return;
  impl_->Run(db->GetName(), [&] {
    // Memory may have been short when the file was written.
    impl_->files->Find(db->GetName(), info.file_number, NewFilterOf(info.table_properties));
    impl_->files->EndFlush(db->GetName(), info.file_number);
  });
}

void FilterAccount::OnCompactionBegin(DB* db, const CompactionJobInfo& info) {
  EndFileCreation();
  impl_->Run(db->GetName(), [&] {
    impl_->CountOnce(db, info.cf_id);
    impl_->files->BeginCompaction(db->GetName(), info.job_id, InputsOf(info));
  });
}

void FilterAccount::OnCompactionCompleted(DB* db, const CompactionJobInfo& info) {
  EndFileCreation();
  impl_->Run(db->GetName(), [&] {
    const std::string& name = db->GetName();
    FileAccount::Numbers outputs;
    for (size_t i = 0; i < info.output_file_infos.size(); ++i) {
      outputs.push_back(info.output_file_infos[i].file_number);
      // RocksDB reports the copy of a file to another device here alone.
      const auto found = info.table_properties.find(info.output_files[i]);
      if (!info.status.ok() || found == info.table_properties.end()) continue;
      impl_->files->Find(name, outputs.back(), FilterOf(*found->second));
    }
    impl_->files->EndCompaction(name, info.job_id, info.status.ok(), InputsOf(info),
                                std::move(outputs));
  });
}

// Of two flushes at once, one records both files. If it fails at the second, RocksDB (read in 7.8
// to 11.9) reports the end of neither, though the first file is live.
void FilterAccount::OnErrorRecoveryCompleted(ROCKSDB_NAMESPACE::Status old_error) {
  old_error.PermitUncheckedError();
  impl_->ForgetFamilies();
}

void FilterAccount::OnExternalFileIngested(
    DB* db, const ROCKSDB_NAMESPACE::ExternalFileIngestionInfo& info) {
  impl_->Run(db->GetName(), [&] {
    impl_->CountOnce(db, db->DefaultColumnFamily()->GetID());
    impl_->files->Find(db->GetName(), NumberIn(info.internal_file_path),
                       FilterOf(info.table_properties));
  });
}

void FilterAccount::OnColumnFamilyHandleDeletionStarted(ColumnFamilyHandle* handle) {
  // A database deletes its own handle of the default column family when it is closed.
  const std::lock_guard lock(impl_->mutex);
  for (auto session = impl_->sessions.begin(); session != impl_->sessions.end(); ++session) {
    if (session->second.default_family != handle) continue;
    LogBytes(session->second.db, "database closed", impl_->files->BytesOf(session->first));
    impl_->files->Forget(session->first);
    impl_->sessions.erase(session);
    return;
  }
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
