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
  std::optional<TickerRates> tickers;
  std::string tickers_from;  // the file
};

void PrintAdvice(const FamilyAdvice& family);
cli::Json AdviceJson(const FamilyAdvice& family);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_ADVISE_ADVISE_OUTPUT_H_
