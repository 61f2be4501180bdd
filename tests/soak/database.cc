#include "tests/soak/database.h"

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <thread>

#include "bloomline/rewrite_filters.h"
#include "bloomline/rocksdb.h"
#include "tests/engines/rocksdb_open.h"
#include "tests/soak/truth.h"

namespace bloomline::soak {
namespace {

// All formats, bits by level, filters for ranges, another seed, and RocksDB's own policies.
// SetOptions keeps what a string does not name, so each string names everything.
std::string AnyPolicy(std::mt19937_64* random) {
  struct Choice {
    const char* format;
    double bits_per_key;
    const char* bits_by_level;
    const char* flush_format;
    const char* range_prefixes;
    int seed;
    bool stock_id;
  };
  constexpr Choice kChoices[] = {
      {"blocked", 10, "uniform", "same", "auto", 0, false},
      {"compact", 10, "uniform", "same", "auto", 0, false},
      {"compact", 7.5, "uniform", "same", "none", 77, false},
      {"compact", 10, "auto", "blocked", "auto", 0, false},
      {"blocked", 16, "uniform", "same", "after0x3a:16", 0, false},
      {"bloom", 10, "auto", "same", "none", 0, true},
      {"bloom", 12, "uniform", "same", "none", 0, false},
      {"ribbon", 10, "uniform", "same", "none", 0, true},
  };
  const size_t number = (*random)() % (std::size(kChoices) + 2);
  if (number == std::size(kChoices)) return "bloomfilter:10:false";
  if (number > std::size(kChoices)) return "ribbonfilter:10";
  const Choice& choice = kChoices[number];
  return std::string("{id=bloomline;format=") + choice.format +
         ";bits_per_key=" + std::to_string(choice.bits_per_key) +
         ";bits_by_level=" + choice.bits_by_level + ";flush_format=" + choice.flush_format +
         ";range_prefixes=" + choice.range_prefixes + ";seed=" + std::to_string(choice.seed) +
         ";stock_id=" + (choice.stock_id ? "true" : "false") + ";}";
}

// RocksDB takes a policy that is null for "no filters", whatever made it.
std::string ErrorOfPolicy(const rocksdb::Options& options, const std::string& policy) {
  const auto* const table = options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  if (table != nullptr && table->filter_policy != nullptr) return "";
  return "no filter policy after filter_policy=" + policy;
}

rocksdb::Options BaseOptions(rocksdb::Env* env) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(8 << 20);
  table.cache_index_and_filter_blocks = true;
  table.partition_filters = true;
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.env = env;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.prefix_extractor = NewRangeExtractor();
  options.write_buffer_size = 512 << 10;
  options.target_file_size_base = 512 << 10;
  options.max_bytes_for_level_base = 512 << 10;
  options.max_bytes_for_level_multiplier = 4;
  options.level_compaction_dynamic_level_bytes = false;
  options.compression = rocksdb::kNoCompression;
  options.max_background_jobs = 2;
  options.keep_log_file_num = 4;
  return options;
}

}  // namespace

Database::Database(const std::string& path)
    : path_(path), env_(tests::NewFaultyRocksDBEnv(&points_)) {
  RegisterBloomline();
  const std::string error = Open("bloomline:10");
  if (error.empty()) return;
  std::fprintf(stderr, "soak: %s\n", error.c_str());
  std::exit(2);
}

Database::~Database() = default;

std::string Database::Open(const std::string& policy) {
  rocksdb::ConfigOptions config;
  config.ignore_unknown_options = false;
  rocksdb::Options options;
  const rocksdb::Status parsed = rocksdb::GetOptionsFromString(
      config, BaseOptions(env_.get()), "block_based_table_factory={filter_policy=" + policy + "}",
      &options);
  if (!parsed.ok()) return parsed.ToString();
  const std::string error = ErrorOfPolicy(options, policy);
  if (!error.empty()) return error;
  const rocksdb::Status opened = tests::OpenRocksDB(options, path_, &db_);
  return opened.ok() ? "" : opened.ToString();
}

void Database::Use(const std::function<void(rocksdb::DB*)>& f) {
  while (is_closing_.load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const std::shared_lock<std::shared_mutex> lock(mutex_);
  if (db_ != nullptr) f(db_.get());  // else it could not be opened again, and the run ends
}

std::string Database::Reopen(const std::string& policy) {
  is_closing_ = true;
  const std::unique_lock<std::shared_mutex> lock(mutex_);
  is_closing_ = false;
  db_.reset();
  ++counts_.reopened;
  return Open(policy);
}

std::string Database::NextPolicy(std::mt19937_64* random) const {
  return has_policies_ ? AnyPolicy(random) : "nullptr";
}

void Database::CountFailure(const char* change, const std::string& error) {
  if (++counts_.failed_changes > 20) return;
  std::printf("%s failed: %s\n", change, error.c_str());
}

// Before 9.8, SetOptions changes the options of a policy, but replaces no policy by one with
// another name. Names are those of bloomline and of RocksDB's own policies. If they always differ,
// the database is opened again.
std::string Database::Switch(std::mt19937_64* random) {
  std::string policy;
  for (int i = 0; i < 8; ++i) {
    policy = NextPolicy(random);
    const rocksdb::Status status =
        db_->SetOptions({{"block_based_table_factory", "{filter_policy=" + policy + ";}"}});
    if (status.ok()) {
      ++counts_.switches;
      return ErrorOfPolicy(db_->GetOptions(), policy);
    }
    if (status.ToString().find("not changeable") != std::string::npos) continue;
    CountFailure("SetOptions", status.ToString());
    return "";
  }
  return Reopen(policy);
}

std::string Database::Rewrite() {
  RewriteOptions options;
  options.max_bytes = 8 << 20;
  options.max_wait_seconds = 1;
  options.min_free_bytes = 64 << 20;
  RewriteReport report;
  std::string error;
  if (!RewriteFilters(db_.get(), db_->DefaultColumnFamily(), options, &report, &error)) {
    CountFailure("RewriteFilters", error);
  }
  ++counts_.rewrites;
  counts_.rewritten_files += report.files_rewritten;
  for (const RewriteReport::Skipped& skipped : report.skipped) {
    if (skipped.reason == RewriteSkip::kDamaged) {
      return "RewriteFilters: damaged: " + skipped.path + ": " + skipped.text;
    }
  }
  return "";
}

void Database::Compact(std::mt19937_64* random) {
  const uint64_t user = (*random)() % kUsers;
  const std::string begin = User(user, ':');
  const std::string end = User(user + kUsers / 10, ';');
  const rocksdb::Slice first = begin;
  const rocksdb::Slice last = end;
  const rocksdb::Status status = db_->CompactRange({}, &first, &last);
  if (!status.ok()) CountFailure("CompactRange", status.ToString());
  ++counts_.compactions;
}

// After a failed write RocksDB may refuse all others. Resume, or opening it again, ends this.
std::string Database::Fail(std::mt19937_64* random) {
  using tests::Fault;
  using tests::FaultyOperation;
  // Before 8.7, RocksDB loses keys when reading or opening a table fails: in scans of databases
  // with range tombstones, and in compactions (its HISTORY.md, 8.7.0), also with its own filters.
  // After a failed write of the log, 7.8.3 fails assertions, whatever the filters: it goes on with
  // the same log, or seals the same memtable again.
  constexpr FaultyOperation kOperations[] = {
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 807
    FaultyOperation::kOpen,
    FaultyOperation::kReadTable,
    FaultyOperation::kWrite,
#endif
    FaultyOperation::kSync,
    FaultyOperation::kRename
  };
  const Fault fault = (*random)() % 2 == 0 ? Fault::kIoError : Fault::kNoSpace;
  const FaultyOperation operation = kOperations[(*random)() % std::size(kOperations)];
  const bool is_possible = tests::CanHave(operation, fault);
  points_.Arm(operation, is_possible ? fault : Fault::kIoError, 1 + (*random)() % 50,
              (*random)() % 4 == 0);
  db_->Flush({}).PermitUncheckedError();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  counts_.injected += points_.injected();
  points_.Disarm();
  if (db_->Flush({}).ok() && db_->Put({}, "probe", "").ok()) return "";
  ++counts_.resumed;
  if (db_->Resume().ok() && db_->Put({}, "probe", "").ok()) return "";
  return Reopen(NextPolicy(random));
}

std::string Database::Change(std::mt19937_64* random) {
  // On a slow machine, a minute has few changes: the first two are those that a run must have.
  if (++changes_ == 1) return Switch(random);
  if (changes_ == 2) return Rewrite();
  switch ((*random)() % 8) {
    case 0:
      return Reopen(NextPolicy(random));
    case 1:
      return Rewrite();
    case 2:
      Compact(random);
      return "";
    case 3:
      return Fail(random);
    default:
      return Switch(random);
  }
}

FileFigures Database::Figures() {
  FileFigures figures;
  rocksdb::TablePropertiesCollection files;
  db_->GetPropertiesOfAllTables(&files).PermitUncheckedError();
  for (const auto& [path, properties] : files) {
    figures.filter_bytes += properties->filter_size;
    ++figures.files_by_policy[properties->filter_policy_name];
  }
  rocksdb::ColumnFamilyMetaData metadata;
  db_->GetColumnFamilyMetaData(&metadata);
  for (const auto& level : metadata.levels) {
    if (level.level > 0) figures.files_by_level += "/";
    figures.files_by_level += std::to_string(level.files.size());
  }
  return figures;
}

}  // namespace bloomline::soak
