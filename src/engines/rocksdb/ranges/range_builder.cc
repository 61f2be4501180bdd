#include "src/engines/rocksdb/ranges/range_builder.h"

#include <atomic>
#include <cinttypes>
#include <functional>
#include <string>

#include "rocksdb/env.h"
#include "src/filter/ranges/range_field.h"
#include "src/support/quoted.h"

namespace bloomline {
namespace {

// The hash of the last line of each logger and family. Two that share a place take turns in it, and
// may then repeat lines.
constexpr size_t kNumPlaces = 256;
std::atomic<size_t> last_lines[kNumPlaces];

}  // namespace

void LogRangeChoice(ROCKSDB_NAMESPACE::Logger* log, std::string_view column_family,
                    const filter::EntryKinds& kinds, uint64_t num_ranges) {
  if (log == nullptr) return;
  const std::string family =
      std::to_string(reinterpret_cast<uintptr_t>(log)) + std::string(column_family);
  const std::string choice = filter::OptionText(kinds);
  const std::hash<std::string> hash;
  const size_t line = hash(family + choice);
  if (last_lines[hash(family) % kNumPlaces].exchange(line, std::memory_order_relaxed) == line) {
    return;
  }
  ROCKSDB_NAMESPACE::Info(
      log, "bloomline: column family %s: range_prefixes=auto chose %s (%" PRIu64 " ranges sampled)",
      support::Quoted(column_family).c_str(), choice.c_str(), num_ranges);
}

}  // namespace bloomline
