#include "src/engines/rocksdb/options/policy_settings.h"

#include <algorithm>
#include <cmath>

#include "bloomline/seed.h"
#include "src/engines/rocksdb/budget/limited_memory.h"
#include "src/engines/rocksdb/metrics/policy_counts.h"
#include "src/engines/rocksdb/options/option_rows.h"
#include "src/filter/sizing/left_over.h"
#include "src/filter/sizing/memory_divider.h"

namespace bloomline::engine {
namespace {

// Universal compaction has sorted runs in place of levels, which RocksDB numbers like levels.
bool HasLevelsOrRuns(const NewFile& file) { return file.has_levels || file.is_compacted_later; }

// Sets the bits per key of the file's own format, which may be flush_format. StockPolicies keeps a
// policy for each number of bits per key. Rounding limits their number.
void SetMemoryBits(double memory_bits, FilterChoice* choice) {
  constexpr double kSteps = 32;           // in each bit
  constexpr double kRoundingError = .01;  // of a step, as the number of the options comes back
  const double bits = filter::BitsOfMemory(choice->format, memory_bits);
  const BitsPerKeyRange allowed = AllowedBitsPerKey(choice->format);
  choice->bits_per_key =
      std::clamp(std::floor(bits * kSteps + kRoundingError) / kSteps, allowed.min, allowed.max);
}

}  // namespace

FilterChoice PolicySettings::ChooseFor(const NewFile& file, const FileCreation& creation,
                                       const SeenLevels& seen) const {
  using Missing = FilterChoice::Missing;
  FilterChoice choice = ChooseFilter(levels, file);
  if (levels.rule != LevelRules::Rule::kAuto) return choice;
  const bool is_limited = options.memory_bytes != 0;
  if (!file.is_of_database) {
    if (is_limited) choice.missing = Missing::kDatabase;
    return choice;
  }
  const std::shared_ptr<FileAccount> account = creation.account.lock();
  if (is_limited && account != nullptr) account->ShowIn(counts, options.memory_bytes);
  if (account == nullptr) choice.missing = Missing::kAccount;
  if (choice.bits_per_key == 0) return choice;
  if (account != nullptr) {
    ChooseByAccount(account.get(), file, creation, &choice);
  } else if (!is_limited && HasLevelsOrRuns(file) && file.level >= 0) {
    const double mean = filter::MemoryBits(levels.format, levels.bits_per_key);
    SetMemoryBits(file.has_levels ? BitsWithoutAccount(mean, file, seen) : mean, &choice);
  }
  return choice;
}

void PolicySettings::ChooseByAccount(FileAccount* account, const NewFile& file,
                                     const FileCreation& creation, FilterChoice* choice) const {
  const double promised = filter::MemoryBits(levels.format, levels.bits_per_key);
  filter::PromisedMemory promise{levels.format, promised};
  if (options.memory_bytes != 0) {
    FileSums sums = account->sums();
    // Old files without a filter may get one, but not from this policy.
    if (!levels.filters_at_bottom) sums.unfiltered_keys = 0;
    promise.mean_bits = BitsWithin(options.memory_bytes, promised, sums);
    choice->is_limited = promise.mean_bits < promised;
    if (choice->is_limited) promise.floor = kLeastPart;
  }
  double memory_bits = promise.mean_bits;
  filter::TreeFill tree;
  filter::NewFilter new_filter;
  if (HasLevelsOrRuns(file) && account->Describe(creation, file.level, promise.mean_bits,
                                                 levels.filters_at_bottom, &tree, &new_filter)) {
    // The mean is then a forecast of what old filters take too much. A cap at the bottom would
    // count that twice, and leave a tenth of the memory unused.
    if (choice->is_limited && file.is_bottommost) new_filter.keys = 0;
    memory_bits = filter::LeftOverBits(promise, tree, new_filter);
  }
  SetMemoryBits(memory_bits, choice);
  account->SetBits(creation, filter::MemoryBits(choice->format, choice->bits_per_key));
}

SettingsPtr MakeSettings(const RocksDBFilterOptions& options, std::string* error) {
  *error = options.Validate();
  uint64_t unused_seed;
  if (!error->empty() || (options.random_seed && !DrawSeed(&unused_seed, error))) return nullptr;
  const auto settings = std::make_shared<PolicySettings>();
  const double bits_per_key = BitsAsInRocksDB(options.bits_per_key);
  settings->options = options;
  settings->levels = MakeLevelRules(options, bits_per_key);
  settings->counts = CountsForPolicy(options, settings->levels.flush_format, bits_per_key);
  return settings;
}

SettingsPtr ParseSettings(std::optional<std::string_view> bits_per_key, std::string* error) {
  RocksDBFilterOptions options;
  if (bits_per_key) *error = SetOption("bits_per_key", std::string(*bits_per_key), &options);
  return error->empty() ? MakeSettings(options, error) : nullptr;
}

}  // namespace bloomline::engine
