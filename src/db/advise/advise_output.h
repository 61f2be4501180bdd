// The output of `bloomline db advise`.
#ifndef BLOOMLINE_DB_ADVISE_ADVISE_OUTPUT_H_
#define BLOOMLINE_DB_ADVISE_ADVISE_OUTPUT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "src/cli/shared/json.h"
#include "src/db/advice/advice.h"
#include "src/db/advise/statistics.h"

namespace bloomline::db {

// Advice for one column family.
struct FamilyAdvice {
  std::string title;  // of its database
  bool measured = false;
  advice::Request request;
  advice::Situation situation;
  advice::Advice advice;
  bool no_tables = false;
  std::string error;  // why there is no advice; also of no_tables
};

// RocksDB counts for all column families together.
struct Statistics {
  TickerRates rates;
  std::string from;
  double runs = 0;  // that a Get of a missing key queries; NaN: it depends on the column family
};

// With the statistics if they are of this column family alone.
void PrintAdvice(const FamilyAdvice& family, const Statistics* statistics);
void PrintStatistics(const Statistics& statistics);
cli::Json StatisticsJson(const Statistics& statistics);
cli::Json AdviceJson(const FamilyAdvice& family);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_ADVISE_ADVISE_OUTPUT_H_
