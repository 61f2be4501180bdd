// The output of `bloomline db advise`.
#ifndef BLOOMLINE_TOOL_DB_ADVISE_ADVISE_OUTPUT_H_
#define BLOOMLINE_TOOL_DB_ADVISE_ADVISE_OUTPUT_H_

#include <optional>
#include <string>

#include "src/inspect/advice/advice.h"
#include "src/tool/db/tickers.h"
#include "src/tool/json.h"

namespace bloomline::tool::db {

// Advice for one column family.
struct FamilyAdvice {
  std::string title;    // of its database
  size_t database = 0;  // of Inputs
  std::string column_family;
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
Json AdviceJson(const FamilyAdvice& family);

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_ADVISE_ADVISE_OUTPUT_H_
