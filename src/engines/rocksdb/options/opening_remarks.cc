#include "src/engines/rocksdb/options/opening_remarks.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <set>
#include <string_view>

#include "rocksdb/comparator.h"
#include "rocksdb/env.h"

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

std::string RangesRemark(bool names_ranges) {
  if (!names_ranges) return "";
  return "bloomline: the filter policy's range_prefixes has no effect since bloomline 0.3; "
         "docs/ranges.md says how scans skip tables now";
}

std::string LevelsRemark(const LevelRules& rules, ROCKSDB_NAMESPACE::CompactionStyle style) {
  const bool is_universal = style == ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
  if (rules.rule != LevelRules::Rule::kByDistance ||
      (!is_universal && style != ROCKSDB_NAMESPACE::kCompactionStyleFIFO)) {
    return "";
  }
  return std::string("bloomline: bits by level have no effect with ") +
         (is_universal ? "universal" : "FIFO") +
         " compaction, which has no levels of different sizes: every file gets bits_per_key";
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
