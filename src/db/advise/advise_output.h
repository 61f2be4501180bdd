// The output of `bloomline db advise`.
#ifndef BLOOMLINE_DB_ADVISE_ADVISE_OUTPUT_H_
#define BLOOMLINE_DB_ADVISE_ADVISE_OUTPUT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "src/cli/shared/json.h"
#include "src/db/advice/advice.h"
#include "src/db/inspect/inspection.h"

namespace bloomline::db {

// Advice for one column family.
struct FamilyAdvice {
  std::string title;  // of its database
  bool measured = false;
  advice::Request request;
  advice::Situation situation;
  advice::Advice advice;
  bool no_tables = false;
  std::string error;  // why advice is missing; also with no_tables
};

// ---- The filters by RocksDB's own counters (statistics.cc).

// RocksDB's counters of whole-key filters, since they began. A query reads one file's filter.
struct TickerRates {
  uint64_t useful = 0;          // bloom.filter.useful: queries that avoided a read
  uint64_t full_positive = 0;   // bloom.filter.full.positive: queries that matched
  uint64_t true_positive = 0;   // bloom.filter.full.true.positive: of these, of stored keys
  uint64_t prefix_checked = 0;  // queries of prefixes and ranges
  uint64_t prefix_useful = 0;   // with the answer no
  std::optional<uint64_t> gets_of_missing_keys;
  std::optional<uint64_t> gets_of_stored_keys;
  uint64_t gets_in_files = 0;  // of these, Gets whose key was in a file, not in a memtable

  uint64_t false_positives() const { return full_positive - true_positive; }
  // The share of queries of missing keys that matched. NaN without such queries.
  double false_positive_rate() const;
  // False positives per Get of a missing key, which queries `runs` filters. Gets whose key is in a
  // file have false positives in the files above it, and no counter distinguishes these: with such
  // Gets this is the rate of one query, times `runs`. NaN: unknown.
  double wasted_reads(double runs) const;
};

// Reads Statistics::ToString() of RocksDB 7 to 11: lines "rocksdb.bloom.filter.useful COUNT : 12",
// or without "COUNT :". Other lines are skipped. Returns false with *error if one of the three
// counters of whole keys is missing.
bool ReadStatistics(const std::string& text, TickerRates* rates, std::string* error);

// Returns an empty string if the statistics do not say that filters are useless.
std::string UseRemark(const TickerRates& rates, const Group& all, const Group& last_level);

// RocksDB counts for all column families together.
struct Statistics {
  TickerRates rates;
  std::string from;
  double runs = 0;  // that a Get of a missing key queries; NaN: it depends on the column family
};

// Prints the statistics, too, if they are of this column family alone.
void PrintAdvice(const FamilyAdvice& family, const Statistics* statistics);
void PrintStatistics(const Statistics& statistics);
cli::Json StatisticsJson(const Statistics& statistics);
cli::Json AdviceJson(const FamilyAdvice& family);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_ADVISE_ADVISE_OUTPUT_H_
