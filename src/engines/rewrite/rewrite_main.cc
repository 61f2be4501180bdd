// bloomline-rewrite: RewriteFilters for a database that no program has open (docs/operating.md).
#include <atomic>
#include <csignal>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "bloomline/rewrite_filters.h"
#include "bloomline/rocksdb.h"
#include "bloomline/version.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "src/engines/rewrite/rewrite_until_done.h"
#include "src/engines/rewrite/stored_options.h"
#include "src/engines/rocksdb/rewrite/rewrite_options.h"
#include "src/support/nearest_name.h"
#include "src/support/quoted.h"
#include "src/support/taken_errors.h"

namespace bloomline::rewrite {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Status;

constexpr int kExitOk = 0;
constexpr int kExitLeft = 1;
constexpr int kExitRefused = 2;

constexpr char kHelp[] =
    R"(Gives the files of a RocksDB database the filters of its policy. No program may
have it open.

Usage: bloomline-rewrite [--policy POLICY] DIR [NAME=VALUE...]

Example:
    bloomline-rewrite --policy '{id=bloomline;format=compact}' db dry_run=true

Arguments:
  DIR                       The directory of the database

Options:
  -h, --help                Print this help message and exit
  --version                 Print the version and exit
  --policy POLICY           The filter policy, an option string: bloomfilter:10
                            or {id=bloomline;format=compact}. Default: that of
                            the newest OPTIONS file. The new one names it
  dry_run=true              Only say what would be done; opens read-only
  include_level0=true       Also rewrite files of level 0
  all_files=true            Also rewrite files that have the right filter
  bytes_per_second=N        Bytes to rewrite per second on average; K, M, G, T
                            are powers of 1024, as in 20M [0: no limit]

A DIR is refused if its OPTIONS file names a relative folder, if that file or a
link in DIR leads outside of DIR, and if it has anything that cannot be read.

All column families are rewritten. SIGINT and SIGTERM end the program soon; the
next run goes on with the files that are left.
Exit code: 0 all files have the filter, except those that the report names as
left out, or the dry run is over; 1 some other files lack it, as the report
says; 2 an invalid request, or the database cannot be opened or closed.
)";

std::atomic<bool> cancelled{false};

void Cancel(int) { cancelled.store(true); }

struct Request {
  std::string path;
  std::string policy;
  RewriteOptions options;
};

int Refuse(const std::string& why) {
  std::fprintf(stderr, "bloomline-rewrite: %s\n", why.c_str());
  return kExitRefused;
}

// Returns an exit code to end with, or -1.
int Parse(int argc, char** argv, Request* request) {
  std::string error;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "-h" || argument == "--help") {
      std::fputs(kHelp, stdout);
      return kExitOk;
    }
    if (argument == "--version") {
      std::puts("bloomline " BLOOMLINE_VERSION_STRING);
      return kExitOk;
    }
    if (argument == "--policy" && i + 1 < argc) {
      request->policy = argv[++i];
    } else if (argument.rfind("--", 0) == 0) {
      return Refuse("option is " + support::Quoted(argument) +
                    "; allowed: --policy POLICY, --version, --help");
    } else if (request->path.empty()) {
      request->path = argument;
    } else if (!engine::ParseRewriteOptions(argument, &request->options, &error)) {
      return Refuse(error);
    }
  }
  if (request->path.empty()) return Refuse("DIR is missing; see bloomline-rewrite --help");
  request->options.cancel = &cancelled;
  return -1;
}

// ---- Runs the request.

// Returns why the policy of this option string cannot write filters, or an empty string. RocksDB
// made `status` and `policy` of the string.
std::string WhyWrong(const std::string& text, const Status& status, const FilterPolicy* policy) {
  constexpr char kAllowed[] =
      "; allowed: an option string, such as bloomfilter:10 or {id=bloomline;format=compact}";
  // RocksDB makes this error. All others are bloomline's, and name the range.
  if (status.IsNotSupported()) return status.ToString() + kAllowed + support::MeantPolicy(text);
  if (!status.ok()) return status.ToString();
  const std::string why = WhyNoFilters(text);
  if (!why.empty() || policy != nullptr) return why;
  return std::string("it names no policy") + kAllowed;
}

bool SetPolicy(const std::string& text, std::vector<ColumnFamilyDescriptor>* families,
               std::string* error) {
  std::shared_ptr<const FilterPolicy> policy;
  const Status status = FilterPolicy::CreateFromString(StrictConfig(), text, &policy);
  const std::string why = WhyWrong(text, status, policy.get());
  if (!why.empty()) {
    *error = "--policy is " + support::Quoted(text) + ": " + why;
    return false;
  }
  for (ColumnFamilyDescriptor& family : *families) {
    const auto* const old = family.options.table_factory->GetOptions<BlockBasedTableOptions>();
    if (old == nullptr) continue;  // RewriteFilters reports this
    BlockBasedTableOptions table = *old;
    table.filter_policy = policy;
    family.options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  }
  return true;
}

bool Prepare(const Request& request, StoredOptions* stored, std::string* error) {
  const support::TakenErrors taken;  // *error gets the errors instead of stderr
  return ReadStoredOptions(request.path, request.policy.empty(), stored, error) &&
         (request.policy.empty() || SetPolicy(request.policy, &stored->families, error));
}

// Some versions of RocksDB open into a plain pointer, others into a unique_ptr.
template <typename Open>
Status OpenAny(Open open, std::unique_ptr<DB>* db) {
  if constexpr (std::is_invocable_v<Open, std::unique_ptr<DB>*>) {
    return open(db);
  } else {
    DB* opened = nullptr;
    const Status status = open(&opened);
    db->reset(opened);
    return status;
  }
}

Status Open(const std::string& path, bool read_only, const StoredOptions& stored,
            std::vector<ColumnFamilyHandle*>* handles, std::unique_ptr<DB>* db) {
  // The return types let is_invocable see which pointers DB takes.
  const auto open = [&](auto* opened) -> decltype(DB::Open(stored.database, path, stored.families,
                                                           handles, opened)) {
    return DB::Open(stored.database, path, stored.families, handles, opened);
  };
  const auto read = [&](auto* opened) -> decltype(DB::OpenForReadOnly(stored.database, path,
                                                                      stored.families, handles,
                                                                      opened)) {
    return DB::OpenForReadOnly(stored.database, path, stored.families, handles, opened);
  };
  return read_only ? OpenAny(read, db) : OpenAny(open, db);
}

void DestroyHandles(DB* db, const std::vector<ColumnFamilyHandle*>& handles) {
  for (ColumnFamilyHandle* const handle : handles) {
    db->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
}

// Whether the application writes new tables to DIR. If not, it would not find tables made here from
// a log. RocksDB does not record db_paths and cf_paths, so the existing tables must show it.
bool HasItsTables(const std::string& path, StoredOptions stored, std::string* error) {
  // The MANIFEST has the number of each table's folder, up to four, and the first gets new tables.
  // Here the others are below a file, so the database opens only if all tables are in the first.
  const ROCKSDB_NAMESPACE::DbPath no_folder(path + "/CURRENT", 0);
  stored.database.db_paths.assign(4, no_folder);
  stored.database.db_paths[0] = {path, std::numeric_limits<uint64_t>::max()};
  std::unique_ptr<DB> db;
  std::vector<ColumnFamilyHandle*> handles;
  const Status status = Open(path, true, stored, &handles, &db);
  if (!status.ok()) {
    *error = path + " cannot be opened: " + status.ToString();
    return false;
  }
  for (ColumnFamilyHandle* const handle : handles) {
    ROCKSDB_NAMESPACE::ColumnFamilyMetaData tables;
    db->GetColumnFamilyMetaData(handle, &tables);
    uint64_t log_entries = 0;
    const bool is_known =
        db->GetIntProperty(handle, DB::Properties::kNumEntriesActiveMemTable, &log_entries);
    if (tables.file_count > 0 || (is_known && log_entries == 0)) continue;
    *error = "column family '" + handle->GetName() + "' has entries in the log and no table in '" +
             path +
             "', so this program does not know the folder of its tables; allowed: column families "
             "with tables. Let the application open the database and flush it";
  }
  DestroyHandles(db.get(), handles);
  return error->empty();
}

int RewriteAll(const Request& request, DB* db, const std::vector<ColumnFamilyHandle*>& handles) {
  int exit_code = kExitOk;
  for (ColumnFamilyHandle* const handle : handles) {
    RewriteReport report;
    std::string error;
    const bool is_done = RewriteUntilDone(db, handle, request.options, &report, &error);
    if (!is_done) {
      std::fprintf(stderr, "bloomline-rewrite: column family '%s': %s\n", handle->GetName().c_str(),
                   error.c_str());
    }
    const bool is_left = !request.options.dry_run && !report.IsComplete();
    if (!is_done || is_left) exit_code = kExitLeft;
    if (cancelled) break;
  }
  return exit_code;
}

int Run(int argc, char** argv) {
  Request request;
  if (const int exit_code = Parse(argc, argv, &request); exit_code >= 0) return exit_code;
  if (!RegisterBloomline()) return kExitRefused;  // stderr says why
  std::string error;
  StoredOptions stored;
  if (!Prepare(request, &stored, &error) || !HasItsTables(request.path, stored, &error)) {
    return Refuse(error);
  }
  std::unique_ptr<DB> db;
  std::vector<ColumnFamilyHandle*> handles;
  const Status status = Open(request.path, request.options.dry_run, stored, &handles, &db);
  if (!status.ok()) return Refuse(request.path + " cannot be opened: " + status.ToString());
  std::signal(SIGINT, Cancel);
  std::signal(SIGTERM, Cancel);
  const int exit_code = RewriteAll(request, db.get(), handles);
  DestroyHandles(db.get(), handles);
  const Status closed = db->Close();
  return closed.ok() ? exit_code : Refuse("closing " + request.path + ": " + closed.ToString());
}

}  // namespace
}  // namespace bloomline::rewrite

int main(int argc, char** argv) { return bloomline::rewrite::Run(argc, argv); }
