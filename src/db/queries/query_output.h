// What `bloomline db advise --queries` says of the queries.
#ifndef BLOOMLINE_DB_QUERIES_QUERY_OUTPUT_H_
#define BLOOMLINE_DB_QUERIES_QUERY_OUTPUT_H_

#include <string>

#include "src/cli/shared/json.h"
#include "src/db/advice/advice.h"
#include "src/db/queries/query_run.h"

namespace bloomline::db {

// The queries of one column family, and where they are from.
struct AskedFamily {
  FamilyRun run;
  std::string from;  // the file's name
  uint64_t sampled_one_of = 1;
};

// Makes the wasted reads and the runs of the levels those of the Gets, if there are any.
void UseQueries(const FamilyRun& run, advice::Situation* situation);

// Empty: the Gets tell the wasted reads well.
std::string FewQueriesRemark(const FamilyRun& run);

void PrintQueries(const AskedFamily& asked, const advice::Advice& advice);
cli::Json QueriesJson(const AskedFamily& asked, const advice::Advice& advice);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_QUERIES_QUERY_OUTPUT_H_
