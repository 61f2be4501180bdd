// What RocksDB's own counters say of its filters.
#ifndef BLOOMLINE_DB_ADVISE_STATISTICS_H_
#define BLOOMLINE_DB_ADVISE_STATISTICS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "src/db/directory/database.h"
#include "src/db/inspect/inspection.h"

namespace bloomline::db {

// RocksDB's counters of whole-key filters, since they began. A query asks one file's filter.
struct TickerRates {
  uint64_t useful = 0;          // bloom.filter.useful: queries that avoided a read
  uint64_t full_positive = 0;   // bloom.filter.full.positive: queries that matched
  uint64_t true_positive = 0;   // bloom.filter.full.true.positive: of these, of stored keys
  uint64_t prefix_checked = 0;  // queries of prefixes and ranges
  uint64_t prefix_useful = 0;   // with the answer no
  std::optional<uint64_t> gets_of_missing_keys;
  std::optional<uint64_t> gets_of_stored_keys;
  std::optional<uint64_t> seeks;  // number.db.seek
  uint64_t seeks_found = 0;       // of these, such as came to a key

  uint64_t false_positives() const { return full_positive - true_positive; }
  // The share of queries of missing keys that matched. NaN: there were none.
  double false_positive_rate() const;
  // False positives per Get of a missing key, if all of them are due to such Gets. NaN: unknown.
  double wasted_reads() const;
};

// False with *error if the tickers do not tell, as without the three of whole keys.
bool RatesOf(const directory::Tickers& tickers, TickerRates* rates, std::string* error);

constexpr uint64_t kMaxStatisticsBytes = 256 << 20;  // somebody may name all of a LOG

struct Statistics {
  std::optional<TickerRates> rates;
  std::string from;
  std::string error;  // --stats cannot be used; what LOG lacks is no error
};

// `text` is what the file at `path` holds; LOG is read if `path` is empty.
Statistics StatisticsOf(const directory::Database& database, const std::string& path,
                        const std::string& text);

// Empty: the statistics do not say that filters are of no use.
std::string UseRemark(const TickerRates& rates, const Group& all, const Group& last_level);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_ADVISE_STATISTICS_H_
