#include "src/engines/rocksdb/ranges/tested_versions.h"

#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>

#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/version.h"
#include "src/engines/rocksdb/ranges/range_extractor.h"

namespace bloomline::engine {
namespace {

// The patch of the minor version that bloomline is compiled for; -1: it was not tested.
constexpr int LastTestedPatch() {
  for (const TestedVersion& tested : kTestedVersions) {
    if (tested.major == ROCKSDB_MAJOR && tested.minor == ROCKSDB_MINOR) return tested.last_patch;
  }
  return -1;
}

// From this version on, RocksDB may write range tombstones where a scan found nothing
// (min_tombstones_for_range_conversion): a wrong "no" of a filter would delete keys.
constexpr bool kScansMayDelete = ROCKSDB_MAJOR > 11 || (ROCKSDB_MAJOR == 11 && ROCKSDB_MINOR >= 8);

// The patch number of the RocksDB that runs; -1: its version has another form than "7.8.3".
// No policy is made with another minor version.
int RunningPatch() {
  const std::string version = ROCKSDB_NAMESPACE::GetRocksVersionAsString(true);
  const std::string minor =
      std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR) + ".";
  if (version.compare(0, minor.size(), minor) != 0) return -1;
  int patch = -1;
  const char* const end = version.data() + version.size();
  const auto read = std::from_chars(version.data() + minor.size(), end, patch);
  return read.ec == std::errc() && read.ptr == end ? patch : -1;
}

// Returns null if ranges are on.
const char* DecideWhyOff() {
  if (UINTPTR_MAX < TokenBlocks::kFirst) return "addresses have 32 bits";
  if (!IsTestedPatch(RunningPatch())) return "bloomline was not tested with this RocksDB";
  if (!ExtractorIdsAreUnique()) return "the system gives no random number";
  if (!kScansMayDelete) return nullptr;
  const char* const choice = std::getenv("BLOOMLINE_RANGES");
  if (choice != nullptr && std::string_view(choice) == "on") return nullptr;
  return "this RocksDB may delete what a scan did not find; BLOOMLINE_RANGES=on switches them on";
}

const char* WhyOff() {
  static const char* const why = DecideWhyOff();
  return why;
}

}  // namespace

bool IsTestedPatch(int patch) { return patch >= 0 && patch <= LastTestedPatch(); }

bool RangesAreOn() { return WhyOff() == nullptr; }

void LogIfRangesAreOff(ROCKSDB_NAMESPACE::Logger* log) {
  const char* const why = WhyOff();
  if (log == nullptr || why == nullptr) return;
  // The last logger that hashes to each place. Two that share one may repeat the line.
  static std::array<std::atomic<const void*>, 64> loggers{};
  std::atomic<const void*>& last = loggers[std::hash<const void*>()(log) / 16 % loggers.size()];
  if (last.exchange(log, std::memory_order_relaxed) == log) return;
  ROCKSDB_NAMESPACE::Info(log, "bloomline: filters reject no range: %s", why);
}

}  // namespace bloomline::engine
