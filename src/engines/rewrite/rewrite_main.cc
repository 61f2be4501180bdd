// bloomline-rewrite: RewriteFilters for a database that no program has open (docs/operating.md).
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/rewrite_filters.h"
#include "bloomline/rocksdb.h"
#include "bloomline/version.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/options_util.h"
#include "src/engines/rewrite/rewrite_until_done.h"
#include "src/engines/rocksdb/rewrite/rewrite_options.h"
#include "src/support/quoted.h"

namespace bloomline::rewrite {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Env;
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
    } else if (!ParseRewriteOptions(argument, &request->options, &error)) {
      return Refuse(error);
    }
  }
  if (request->path.empty()) return Refuse("DIR is missing; see bloomline-rewrite --help");
  request->options.cancel = &cancelled;
  return -1;
}

// ---- The options with which the database was opened last, from its OPTIONS file.

struct StoredOptions {
  ROCKSDB_NAMESPACE::DBOptions database;
  std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor> families;
};

// Whether the options have an object where the file names one.
struct Object {
  const char* option;
  const char* what;
  bool (*is_loaded)(const ColumnFamilyOptions& options);
};
constexpr Object kObjects[] = {
    {"comparator", "comparator",
     [](const ColumnFamilyOptions& o) { return o.comparator != nullptr; }},
    {"merge_operator", "merge operator",
     [](const ColumnFamilyOptions& o) { return o.merge_operator != nullptr; }},
    {"compaction_filter", "compaction filter",
     [](const ColumnFamilyOptions& o) { return o.compaction_filter != nullptr; }},
    {"compaction_filter_factory", "compaction filter factory",
     [](const ColumnFamilyOptions& o) { return o.compaction_filter_factory != nullptr; }},
    {"prefix_extractor", "prefix extractor",
     [](const ColumnFamilyOptions& o) { return o.prefix_extractor != nullptr; }},
    {"sst_partitioner_factory", "SST partitioner factory",
     [](const ColumnFamilyOptions& o) { return o.sst_partitioner_factory != nullptr; }},
};

std::string NotBuiltIn(const std::string& family, const char* what, std::string_view name) {
  return "column family '" + family + "' has the " + what + " " + support::Quoted(name) +
         " of its application, which this program does not have; allowed: databases with objects "
         "of RocksDB and bloomline alone. Call RewriteFilters in the application";
}

// The file's lines of column families against what RocksDB made of them: it returns no error for
// some names that it does not know.
bool HasAllObjects(std::string_view text, const std::vector<ColumnFamilyDescriptor>& families,
                   std::string* error) {
  constexpr std::string_view kFamily = "[CFOptions \"";
  const ColumnFamilyDescriptor* family = nullptr;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
    if (!line.empty() && line[0] == '[') {
      family = nullptr;
      for (const ColumnFamilyDescriptor& other : families) {
        if (line == std::string(kFamily) + other.name + "\"]") family = &other;
      }
      continue;
    }
    const size_t sign = line.find('=');
    if (family == nullptr || sign == line.npos) continue;
    const std::string_view value = line.substr(sign + 1);
    if (value == "nullptr" || value.empty()) continue;
    for (const Object& object : kObjects) {
      if (line.substr(0, sign) != object.option || object.is_loaded(family->options)) continue;
      *error = NotBuiltIn(family->name, object.what, value);
      return false;
    }
    // RocksDB takes its own comparator for one that it does not know.
    if (line.substr(0, sign) == "comparator") {
      const std::string_view name = family->options.comparator->Name();
      if (value.find(name) == value.npos) {
        *error = NotBuiltIn(family->name, "comparator", value);
        return false;
      }
    }
  }
  return true;
}

// Returns false with *error if there is no such file, or if it names code of the application: a
// comparator, merge operator, compaction filter or other object that RocksDB and bloomline do not
// have. A compaction without it would lose or mix up data.
bool ReadStoredOptions(const std::string& path, StoredOptions* options, std::string* error) {
  Env* const env = Env::Default();
  std::string name;
  Status status = ROCKSDB_NAMESPACE::GetLatestOptionsFileName(path, env, &name);
  std::string text;
  if (status.ok()) status = ReadFileToString(env, path + "/" + name, &text);
  if (!status.ok()) {
    *error = path + " has no OPTIONS file that can be read: " + status.ToString() +
             "; allowed: the directory of a RocksDB database";
    return false;
  }
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.ignore_unknown_options = false;
  config.ignore_unsupported_options = false;
  status = LoadOptionsFromFile(config, path + "/" + name, &options->database, &options->families);
  if (!status.ok()) {
    *error = path + "/" + name +
             " has options or objects that this program does not know: " + status.ToString() +
             ". Call RewriteFilters in the application";
    return false;
  }
  options->database.create_if_missing = false;
  return HasAllObjects(text, options->families, error);
}

// ---- What is done with them.

bool SetPolicy(const std::string& text, std::vector<ColumnFamilyDescriptor>* families,
               std::string* error) {
  std::shared_ptr<const FilterPolicy> policy;
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.ignore_unsupported_options = false;
  const Status status = FilterPolicy::CreateFromString(config, text, &policy);
  if (!status.ok() || policy == nullptr) {
    *error = "--policy is " + support::Quoted(text) + ": " +
             (status.ok() ? "it names no policy" : status.ToString());
    if (status.ok() || status.IsNotSupported()) {  // otherwise bloomline's sentence names the range
      *error +=
          "; allowed: an option string, such as bloomfilter:10 or {id=bloomline;format=compact}";
    }
    return false;
  }
  for (ColumnFamilyDescriptor& family : *families) {
    const auto* const old = family.options.table_factory->GetOptions<BlockBasedTableOptions>();
    if (old == nullptr) continue;  // RewriteFilters says so
    BlockBasedTableOptions table = *old;
    table.filter_policy = policy;
    family.options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  }
  return true;
}

// Some versions of RocksDB open into a plain pointer, others into a unique_ptr.
template <typename Open>
auto OpenAny(Open open, std::unique_ptr<DB>* db, int) -> decltype(open(db)) {
  return open(db);
}
template <typename Open>
Status OpenAny(Open open, std::unique_ptr<DB>* db, long) {
  DB* opened = nullptr;
  const Status status = open(&opened);
  db->reset(opened);
  return status;
}

Status Open(const Request& request, const StoredOptions& stored,
            std::vector<ColumnFamilyHandle*>* handles, std::unique_ptr<DB>* db) {
  const auto open = [&](auto* opened) -> decltype(DB::Open(stored.database, request.path,
                                                           stored.families, handles, opened)) {
    return DB::Open(stored.database, request.path, stored.families, handles, opened);
  };
  const auto read = [&](auto* opened) -> decltype(DB::OpenForReadOnly(stored.database, request.path,
                                                                      stored.families, handles,
                                                                      opened)) {
    return DB::OpenForReadOnly(stored.database, request.path, stored.families, handles, opened);
  };
  return request.options.dry_run ? OpenAny(read, db, 0) : OpenAny(open, db, 0);
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
  if (!ReadStoredOptions(request.path, &stored, &error)) return Refuse(error);
  if (!request.policy.empty() && !SetPolicy(request.policy, &stored.families, &error)) {
    return Refuse(error);
  }
  std::unique_ptr<DB> db;
  std::vector<ColumnFamilyHandle*> handles;
  const Status status = Open(request, stored, &handles, &db);
  if (!status.ok()) return Refuse(request.path + " cannot be opened: " + status.ToString());
  std::signal(SIGINT, Cancel);
  std::signal(SIGTERM, Cancel);
  const int exit_code = RewriteAll(request, db.get(), handles);
  for (ColumnFamilyHandle* const handle : handles) {
    db->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
  const Status closed = db->Close();
  return closed.ok() ? exit_code : Refuse("closing " + request.path + ": " + closed.ToString());
}

}  // namespace
}  // namespace bloomline::rewrite

int main(int argc, char** argv) { return bloomline::rewrite::Run(argc, argv); }
