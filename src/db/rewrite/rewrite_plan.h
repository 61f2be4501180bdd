// What `bloomline db rewrite` will do with each file of a database, before it writes anything.
#ifndef BLOOMLINE_DB_REWRITE_REWRITE_PLAN_H_
#define BLOOMLINE_DB_REWRITE_REWRITE_PLAN_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/db/rewrite/database_folder.h"
#include "src/db/rewrite/rewrite_policy.h"
#include "src/db/rewrite/rewritten_waste.h"
#include "src/db/rewrite/table_rewrite.h"
#include "src/db/survey/inputs.h"
#include "src/db/survey/inspection.h"
#include "src/db/survey/kept_policy.h"

namespace bloomline::db {

struct RewriteArguments {
  CommonOptions common;  // but its paths
  std::string folder;
  std::string new_folder;
  std::optional<std::string> policy;  // none: what advise chooses
  std::vector<std::string> families;
  uint64_t bytes_per_second = 0;
  bool clones = false;
  bool dry_run = false;
  bool untested_version = false;
};

// A table that is rewritten, mostly with a new filter.
struct PlannedTable {
  size_t file = 0;         // of Inputs::files
  TableRewrite rewrite;    // the writer adds number and session
  uint64_t new_bytes = 0;  // about
  // The new filter is expected to have these. NaN: unknown.
  uint64_t filter_bytes = 0;
  double false_positive_rate = 1;
};

struct RewritePlan {
  std::vector<PlannedTable> tables;         // by number
  std::vector<size_t> staying;              // live tables that stay as they are
  std::map<std::string, uint64_t> reasons;  // why, with the number of files
  bool lacks_policies = false;              // a reason is that a column family has no policy
  std::vector<std::string> filters;         // lines: "filters of 'default': RocksDB Bloom, ..."
  std::vector<KeptFilters> kept;            // what writes these filters; none in LevelDB
  std::vector<RewrittenWaste> waste;        // by Inspection::groups, as planned
  uint64_t next_number = 0;                 // no file has this number or a higher one
};

// Makes the plan, or returns another outcome than kDone with *error. `inputs` has one database,
// whose files are all read.
Outcome MakePlan(const RewriteArguments& options, const DatabaseFolder& folder,
                 tree::RocksDBVersion newest_version, const Inputs& inputs,
                 const Inspection& inspection, RewritePlan* plan, std::string* error);

// The wasted reads of the levels whose filters RocksDB queries: with optimize_filters_for_hits, not
// the last one.
double QueriedWaste(const tree::ColumnFamily& family, const FamilyGroups& groups);

// Refuses the filters that advise chose for a column family if a Get wastes more with them, or if
// that is unknown.
bool WastesNoMore(const tree::ColumnFamily& family, const RewrittenWaste& waste,
                  std::string* error);

TableSource SourceOf(const Inputs& inputs, const SurveyedFile& file);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_REWRITE_PLAN_H_
