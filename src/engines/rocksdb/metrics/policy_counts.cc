#include "src/engines/rocksdb/metrics/policy_counts.h"

#include <algorithm>
#include <string>

#include "bloomline/sizing.h"
#include "src/support/number_text.h"

namespace bloomline {
namespace {

constexpr char kEngine[] = "rocksdb";

// The options that determine a policy's figures. A seed may be secret.
std::string PolicyText(const RocksDBFilterOptions& options) {
  if (!WritesFilters(options)) return "none";
  const FilterOptions normalized = Normalized(options);
  std::string text = FormatName(options.format);
  if (!options.bits_by_level.empty()) {
    for (const double bits : options.bits_by_level) text += ":" + support::DoubleText(bits);
    return text;
  }
  text += ":" + support::DoubleText(normalized.bits_per_key);
  return options.auto_bits_by_level ? text + ":auto" : text;
}

// The highest false-positive rate of the policy's filters. A list has its own bits per key.
double ExpectedRate(const RocksDBFilterOptions& options) {
  double bits_per_key = Normalized(options).bits_per_key;
  if (!options.bits_by_level.empty()) {
    bits_per_key = 0;
    for (const double bits : options.bits_by_level) {
      if (bits != 0 && (bits_per_key == 0 || bits < bits_per_key)) bits_per_key = bits;
    }
    if (bits_per_key == 0) return 0;  // no level has filters
  }
  return std::max(FalsePositiveRate(options.format, bits_per_key),
                  FalsePositiveRate(options.flush_format.value_or(options.format), bits_per_key));
}

}  // namespace

filter::FilterCounts* CountsForPolicy(const RocksDBFilterOptions& options) {
  filter::FilterCounts* const counts = filter::CountsFor({kEngine, PolicyText(options), "", -1});
  if (WritesFilters(options)) counts->SetExpectedRate(ExpectedRate(options));
  return counts;
}

filter::FilterCounts* CountsForFile(const filter::FilterCounts& of_policy,
                                    std::string_view column_family, int level,
                                    const FilterChoice& choice) {
  filter::FilterCounts* const counts =
      filter::CountsFor({kEngine, of_policy.labels().policy, std::string(column_family), level});
  if (choice.bits_per_key != 0) {
    counts->SetExpectedRate(FalsePositiveRate(choice.format, choice.bits_per_key));
  }
  return counts;
}

}  // namespace bloomline
