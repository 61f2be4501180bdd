// What RocksDB's own counters say of its filters.
#ifndef BLOOMLINE_TOOL_DB_TICKERS_H_
#define BLOOMLINE_TOOL_DB_TICKERS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "src/inspect/database/database.h"
#include "src/tool/json.h"

namespace bloomline::tool::db {

// Of filters of whole keys, since the counters began. A query is that of one file's filter.
struct TickerRates {
  uint64_t useful = 0;          // bloom.filter.useful: queries that avoided a read
  uint64_t full_positive = 0;   // bloom.filter.full.positive: queries that matched
  uint64_t true_positive = 0;   // bloom.filter.full.true.positive: of these, of stored keys
  uint64_t prefix_checked = 0;  // bloom.filter.prefix.checked
  uint64_t prefix_useful = 0;
  std::optional<uint64_t> gets_of_missing_keys;
  std::optional<uint64_t> gets_of_stored_keys;

  uint64_t false_positives() const { return full_positive - true_positive; }
  // Of queries of missing keys. NaN: there were none.
  double false_positive_rate() const;
  // False positives per Get of a missing key, if all of them are due to such Gets. NaN: unknown.
  double wasted_reads() const;
};

// False with *error if the tickers do not tell, as without the three of whole keys.
bool RatesOf(const database::Tickers& tickers, TickerRates* rates, std::string* error);

Json TickersJson(const TickerRates& rates, const std::string& from);
std::string TickersText(const TickerRates& rates, const std::string& from);

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_TICKERS_H_
