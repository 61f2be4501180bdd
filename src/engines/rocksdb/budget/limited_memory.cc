#include "src/engines/rocksdb/budget/limited_memory.h"

#include <algorithm>

#include "rocksdb/env.h"
#include "src/filter/sizing/memory_divider.h"
#include "src/support/number_text.h"

namespace bloomline::engine {
namespace {

// The mean of the growth since each file was written. Files being written again count as new, and
// so do files that were there before the account.
double GrowthSinceWritten(const FileSums& sums) {
  const auto keys = static_cast<double>(sums.live_keys());
  const double new_share = 1 - static_cast<double>(sums.dated_keys) / keys;
  const double growth = static_cast<double>(sums.dated_shares) / FileSums::kAllKeys + new_share;
  return std::clamp(growth, 1 / kMaxGrowth, kMaxGrowth);
}

double MostBitsPerKeyIn(const FileAccount& account, const MemoryLimit& limit) {
  const double max_bits = filter::MemoryBits(limit.format, limit.bits_per_key);
  // Old files without a filter may get one, but not from this policy.
  FileSums sums = account.sums();
  if (!limit.fills_bottom) sums.unfiltered_keys = 0;
  return filter::BitsOfMemory(limit.format, BitsWithin(limit.bytes, max_bits, sums));
}

}  // namespace

bool HasNoDatabase(const FilterBuildingContext& context) {
  return context.reason == ROCKSDB_NAMESPACE::TableFileCreationReason::kMisc;
}

double MostBitsPerKey(const MemoryLimit& limit, FileAccount* account,
                      const FilterBuildingContext& context) {
  // An account left in this thread belongs to another file.
  if (HasNoDatabase(context)) return limit.bits_per_key;
  if (account != nullptr) account->ShowIn(limit.counts, limit.bytes);
  if (limit.bits_per_key == 0) return 0;
  if (account != nullptr) return MostBitsPerKeyIn(*account, limit);
  ROCKSDB_NAMESPACE::Warn(context.info_log,
                          "bloomline: a file is written without the limit of memory, because "
                          "there is no FilterAccount among the listeners of the database");
  return limit.bits_per_key;
}

Status CheckAccount(uint64_t memory_bytes, const ROCKSDB_NAMESPACE::DBOptions& database) {
  if (memory_bytes == 0) return Status::OK();
  for (const auto& listener : database.listeners) {
    // A listener of another version is enough: it counts for the policies of that version.
    if (listener != nullptr && listener->CheckedCast<FilterAccount>() != nullptr) {
      return Status::OK();
    }
  }
  return Status::InvalidArgument(
      "bloomline",
      support::StrCat(
          "memory is ", memory_bytes,
          ", but no listener of the database counts filters; allowed: 0, or a FilterAccount "
          "(listeners=bloomline.account) among the listeners"));
}

double BitsWithin(uint64_t memory_bytes, double max_bits, const FileSums& sums) {
  if (sums.live_keys() == 0 || memory_bytes == 0) return max_bits;
  const double memory_bits = 8 * static_cast<double>(memory_bytes);
  const double mean = memory_bits / static_cast<double>(sums.live_keys());
  const auto settled_keys = static_cast<double>(sums.keys + sums.unfiltered_keys);
  const double excess_bits = 8 * static_cast<double>(sums.bytes) - mean * settled_keys;
  const double excess = excess_bits / memory_bits;
  const double brake = std::clamp(kBrake * (excess - kTolerance), 0.0, 1.0);
  const double undated =
      (settled_keys - static_cast<double>(sums.dated_keys)) / static_cast<double>(sums.live_keys());
  const double less = undated * std::clamp(excess + kMargin, 0.0, 1.0);
  return std::clamp(mean / GrowthSinceWritten(sums) * (1 - brake) * (1 - less), 0.0, max_bits);
}

}  // namespace bloomline::engine
