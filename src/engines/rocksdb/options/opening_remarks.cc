#include "src/engines/rocksdb/options/opening_remarks.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <set>
#include <string_view>

#include "rocksdb/comparator.h"
#include "rocksdb/env.h"
#include "src/engines/rocksdb/builder/layout_check.h"

namespace bloomline::engine {
namespace {

bool IsRocksDBs(std::string_view name) {
  return name.rfind("leveldb.BytewiseComparator", 0) == 0 || name.rfind("rocksdb.", 0) == 0;
}

// Whether the process asks about the name for the first time.
bool IsFirst(const std::string& name) {
  static std::mutex& mutex = *new std::mutex;
  static std::set<std::string>& names = *new std::set<std::string>;
  const std::lock_guard<std::mutex> lock(mutex);
  return names.insert(name).second;
}

}  // namespace

void OpeningRemarks::Add(const std::string& remark, Logger* log) const {
  if (remark.empty()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (std::find(waiting_.begin(), waiting_.end(), remark) == waiting_.end()) {
      waiting_.push_back(remark);
    }
  }
  WriteTo(log);
}

void OpeningRemarks::WriteTo(Logger* log) const {
  if (log == nullptr) return;
  std::vector<std::string> remarks;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    remarks.swap(waiting_);
  }
  // The lock is not held here: a user's logger may call anything.
  for (const std::string& remark : remarks) ROCKSDB_NAMESPACE::Warn(log, "%s", remark.c_str());
}

std::string ComparatorWarning(const ROCKSDB_NAMESPACE::Comparator* comparator) {
  if (comparator == nullptr || !comparator->CanKeysWithDifferentByteContentsBeEqual() ||
      IsRocksDBs(comparator->GetRootComparator()->Name())) {
    return "";
  }
  const std::string warning =
      "bloomline: the comparator " + std::string(comparator->Name()) +
      " may treat keys with different bytes as equal, and filters then lose keys; if it does, "
      "use NewCanonicalRocksDBFilterPolicy, or no filter policy; if not, its "
      "CanKeysWithDifferentByteContentsBeEqual() should return false";
  if (IsFirst(comparator->Name())) std::fprintf(stderr, "%s\n", warning.c_str());
  return warning;
}

std::string SkippedRemark(const std::string& names) {
  if (names.empty()) return "";
  return "bloomline: the filter policy's options have names that bloomline does not know, and "
         "that were left out: " +
         names;
}

std::string FormerRemark(const std::string& options) {
  if (options.empty()) return "";
  return "bloomline: options of the filter policy have no effect any more: " + options +
         "; CHANGELOG.md says what to do";
}

std::string LevelsRemark(const LevelRules& rules, ROCKSDB_NAMESPACE::CompactionStyle style,
                         bool has_account) {
  if (rules.rule != LevelRules::Rule::kAuto) return "";
  const std::string without_effect = "bloomline: bits by level have no effect with ";
  if (style == ROCKSDB_NAMESPACE::kCompactionStyleFIFO) {
    return without_effect + "FIFO compaction, which has no levels: every file gets bits_per_key";
  }
  const bool is_universal = style == ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
  if (has_account || (!KnowsListeners() && !is_universal)) return "";
  std::string remark = is_universal
                           ? without_effect +
                                 "universal compaction and no FilterAccount: "
                                 "every file gets bits_per_key"
                           : "bloomline: bits by level waste fewer reads with a FilterAccount";
  if (!KnowsListeners()) return remark;
  return remark +
         "; add it by options.listeners.push_back(bloomline::NewFilterAccount()), in Java by "
         "options.setListeners(Collections.singletonList(new FilterAccount())), or by "
         "listeners=bloomline.account in the option string of the database "
         "(docs/rocksdb.md#bits-by-level)";
}

std::string NoDatabaseRemark(const Logger* log) {
  const std::string remark =
      "bloomline: memory has no effect in an SstFileWriter, which has no database: its files get "
      "bits_per_key, and count once they are ingested";
  static std::atomic<bool> is_said{false};
  if (log == nullptr && !is_said.exchange(true)) std::fprintf(stderr, "%s\n", remark.c_str());
  return remark;
}

}  // namespace bloomline::engine
