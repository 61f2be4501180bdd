#include "src/tool/db/tickers.h"

#include <algorithm>
#include <limits>

#include "src/tool/db/inspect/group_output.h"
#include "src/tool/printable.h"
#include "src/tool/quantity.h"

namespace bloomline::tool::db {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::optional<uint64_t> Find(const database::Tickers& tickers, const std::string& name) {
  const auto found = tickers.find("rocksdb." + name);
  if (found == tickers.end()) return std::nullopt;
  return found->second;
}

double Quotient(uint64_t part, uint64_t all) {
  return all == 0 ? kUnknown : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

double TickerRates::false_positive_rate() const {
  return Quotient(false_positives(), useful + false_positives());
}

double TickerRates::wasted_reads() const {
  return gets_of_missing_keys ? Quotient(false_positives(), *gets_of_missing_keys) : kUnknown;
}

bool RatesOf(const database::Tickers& tickers, TickerRates* rates, std::string* error) {
  struct Needed {
    const char* name;
    uint64_t* value;
  };
  for (const Needed& needed : {Needed{"bloom.filter.useful", &rates->useful},
                               Needed{"bloom.filter.full.positive", &rates->full_positive},
                               Needed{"bloom.filter.full.true.positive", &rates->true_positive}}) {
    const std::optional<uint64_t> value = Find(tickers, needed.name);
    if (!value) {
      *error = std::string("the statistics have no line rocksdb.") + needed.name +
               "; needed: rocksdb.bloom.filter.useful, rocksdb.bloom.filter.full.positive and "
               "rocksdb.bloom.filter.full.true.positive";
      return false;
    }
    *needed.value = *value;
  }
  // Threads count while the lines are printed.
  rates->true_positive = std::min(rates->true_positive, rates->full_positive);
  rates->prefix_checked = Find(tickers, "bloom.filter.prefix.checked").value_or(0);
  rates->prefix_useful = Find(tickers, "bloom.filter.prefix.useful").value_or(0);
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
  }
  return true;
}

Json TickersJson(const TickerRates& rates, const std::string& from) {
  return {{"from", from},
          {"useful", rates.useful},
          {"full_positive", rates.full_positive},
          {"full_true_positive", rates.true_positive},
          {"false_positives", rates.false_positives()},
          {"false_positive_rate", RateOrNull(rates.false_positive_rate())},
          {"prefix_checked", rates.prefix_checked},
          {"prefix_useful", rates.prefix_useful},
          {"gets_of_missing_keys", OrNull(rates.gets_of_missing_keys)},
          {"gets_of_stored_keys", OrNull(rates.gets_of_stored_keys)},
          {"wasted_reads", RateOrNull(rates.wasted_reads())}};
}

std::string TickersText(const TickerRates& rates, const std::string& from) {
  std::string text = "statistics in " + Printable(from) + ": ";
  const uint64_t queries = rates.useful + rates.full_positive;
  if (queries == 0) return text + "the filters were not queried\n";
  text += CountText(queries) + " filter queries, " + CountText(queries - rates.true_positive) +
          " for missing keys; " + CountText(rates.false_positives()) + " false positives, FPR " +
          RateOrDash(rates.false_positive_rate()) + '\n';
  if (rates.gets_of_missing_keys) {
    const uint64_t gets = *rates.gets_of_missing_keys + *rates.gets_of_stored_keys;
    text += CountText(gets) + " Gets, " + CountText(*rates.gets_of_missing_keys) + " (" +
            RateOrDash(Quotient(*rates.gets_of_missing_keys, gets)) +
            ") of missing keys; wasted reads per Get of a missing key: " +
            RateOrDash(rates.wasted_reads()) + '\n';
  }
  if (rates.prefix_checked != 0) {
    text += CountText(rates.prefix_checked) + " prefix queries, " + CountText(rates.prefix_useful) +
            " of which avoided a read\n";
  }
  return text;
}

}  // namespace bloomline::tool::db
