// The filters by RocksDB's own counters (advise_output.h).
#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "src/cli/shared/quantity.h"
#include "src/db/advise/advise_output.h"
#include "src/db/report.h"
#include "src/support/number_text.h"

namespace bloomline::db {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

using Tickers = std::map<std::string, uint64_t>;

Tickers ParseTickers(const std::string& text) {
  Tickers tickers;
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) {
    std::istringstream of_line(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(of_line), {}};
    const bool has_count = words.size() == 4 && words[1] == "COUNT" && words[2] == ":";
    uint64_t count;
    if ((words.size() == 2 || has_count) && support::ParseUint64(words.back(), &count)) {
      tickers[words[0]] = count;
    }
  }
  return tickers;
}

std::optional<uint64_t> Find(const Tickers& tickers, const std::string& name) {
  const auto found = tickers.find("rocksdb." + name);
  if (found == tickers.end()) return std::nullopt;
  return found->second;
}

double Quotient(uint64_t part, uint64_t all) {
  return all == 0 ? kUnknown : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

bool ReadStatistics(const std::string& text, TickerRates* rates, std::string* error) {
  const Tickers tickers = ParseTickers(text);
  const std::pair<const char*, uint64_t*> needed[] = {
      {"bloom.filter.useful", &rates->useful},
      {"bloom.filter.full.positive", &rates->full_positive},
      {"bloom.filter.full.true.positive", &rates->true_positive}};
  for (const auto& [name, value] : needed) {
    const std::optional<uint64_t> found = Find(tickers, name);
    if (!found) {
      *error = std::string("the statistics have no line 'rocksdb.") + name + " COUNT : NUMBER'";
      return false;
    }
    *value = *found;
  }
  // Threads count while the lines are printed.
  rates->true_positive = std::min(rates->true_positive, rates->full_positive);
  // From RocksDB 8.3 on, bloom.filter.prefix.* counts Gets, and last.level.* and non.last.level.*
  // count iterators. Before, the latter do not exist.
  const auto count = [&](const char* name) { return Find(tickers, name).value_or(0); };
  const uint64_t skipped =
      count("last.level.seek.filtered") + count("non.last.level.seek.filtered");
  rates->prefix_checked = count("bloom.filter.prefix.checked") + skipped +
                          count("last.level.seek.filter.match") +
                          count("non.last.level.seek.filter.match");
  rates->prefix_useful = count("bloom.filter.prefix.useful") + skipped;
  // A Get that misses the memtables ends in one of the levels, or its key is missing.
  const auto missed = Find(tickers, "memtable.miss");
  const auto hit = Find(tickers, "memtable.hit");
  const auto level0 = Find(tickers, "l0.hit");
  const auto level1 = Find(tickers, "l1.hit");
  const auto level2 = Find(tickers, "l2andup.hit");
  if (missed && level0 && level1 && level2) {
    const uint64_t found = std::min(*missed, *level0 + *level1 + *level2);
    rates->gets_of_missing_keys = *missed - found;
    rates->gets_of_stored_keys = found + hit.value_or(0);
    rates->gets_in_files = found;
  }
  return true;
}

double TickerRates::false_positive_rate() const {
  return Quotient(false_positives(), useful + false_positives());
}

double TickerRates::wasted_reads(double runs) const {
  if (!gets_of_missing_keys) return kUnknown;
  if (gets_in_files != 0) return runs * false_positive_rate();
  return Quotient(false_positives(), *gets_of_missing_keys);
}

std::string UseRemark(const TickerRates& rates, const Group& all, const Group& last_level) {
  constexpr double kNearlyAll = 0.95;
  if (all.filter_bytes == 0) return "";
  const uint64_t queries = rates.useful + rates.full_positive + rates.prefix_checked;
  if (queries == 0) {
    const uint64_t gets =
        rates.gets_of_missing_keys.value_or(0) + rates.gets_of_stored_keys.value_or(0);
    if (gets == 0) return "";
    return "The filters are not used here: the statistics count " + cli::CountText(gets) +
           " Gets and no query of a filter. docs/operating.md has the usual reasons.";
  }
  if (static_cast<double>(rates.true_positive) < kNearlyAll * static_cast<double>(queries)) {
    return "";
  }
  return "The filters are hardly of use here: " + ShareText(rates.true_positive, queries) +
         " of their queries were for keys that are there. Without those of the last level "
         "(optimize_filters_for_hits), they would take " +
         ShareText(last_level.filter_bytes, all.filter_bytes) + " less memory.";
}

}  // namespace bloomline::db
