#include "src/engines/rocksdb/budget/limited_memory.h"

#include <algorithm>

#include "bloomline/filter_account.h"
#include "src/engines/rocksdb/builder/table_plan.h"
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

}  // namespace

size_t CountOwnAccounts(const ROCKSDB_NAMESPACE::DBOptions& database) {
  return static_cast<size_t>(
      std::count_if(database.listeners.begin(), database.listeners.end(), [](const auto& listener) {
        return listener != nullptr &&
               listener->template GetOptions<FilterAccount>(kOwnAccount) != nullptr;
      }));
}

Status CheckAccount(uint64_t memory_bytes, const ROCKSDB_NAMESPACE::DBOptions& database) {
  const size_t num_own = CountOwnAccounts(database);
  if (num_own > 1) {
    return Status::InvalidArgument("bloomline",
                                   support::StrCat("the listeners of the database have ", num_own,
                                                   " FilterAccounts; allowed: one"));
  }
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
  if (sums.live_keys() == 0) return max_bits;
  const double mean = 8 * static_cast<double>(memory_bytes) / static_cast<double>(sums.live_keys());
  return std::clamp(mean / GrowthSinceWritten(sums), std::min(kMinBits, max_bits), max_bits);
}

}  // namespace bloomline::engine
