// The output of `bloomline db advise`.
#ifndef BLOOMLINE_DB_ADVISE_ADVISE_OUTPUT_H_
#define BLOOMLINE_DB_ADVISE_ADVISE_OUTPUT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "src/cli/shared/json.h"
#include "src/db/advice/advice.h"
#include "src/db/directory/database.h"

namespace bloomline::db {

// ---- What RocksDB's own counters say of its filters.

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

// Advice for one column family.
struct FamilyAdvice {
  std::string title;  // of its database
  bool measured = false;
  advice::Request request;
  advice::Situation situation;
  advice::Advice advice;
  bool no_tables = false;
  std::string error;  // why there is no advice; also of no_tables
  std::optional<TickerRates> tickers;
  std::string tickers_from;
};

void PrintAdvice(const FamilyAdvice& family);
cli::Json AdviceJson(const FamilyAdvice& family);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_ADVISE_ADVISE_OUTPUT_H_
