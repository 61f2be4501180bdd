// What the queries of a program cost a database: which filters they ask, and what these say.
#ifndef BLOOMLINE_DB_QUERIES_QUERY_RUN_H_
#define BLOOMLINE_DB_QUERIES_QUERY_RUN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/cli/shared/range_kinds.h"
#include "src/db/inputs.h"
#include "src/db/inspect/inspection.h"
#include "src/db/queries/recorded_queries.h"

namespace bloomline::db {

// Of Gets, in the files of one level. A Get looks into files from level 0 on, the newest first,
// until one has its key.
struct LevelGets {
  uint64_t rejected = 0;         // the filter says no
  uint64_t false_positives = 0;  // the filter matches, and the file lacks the key
  uint64_t true_positives = 0;   // the filter matches, and the file has the key
  uint64_t unfiltered = 0;       // there is no filter that is used, and the file lacks the key

  uint64_t wasted_reads() const { return false_positives + unfiltered; }
  uint64_t in_vain() const { return rejected + wasted_reads(); }
  void Add(const LevelGets& other);
};

// Of scans. One that finds no key in a file has read a block of it in vain.
struct ScanCosts {
  std::string title;  // "now", "range_prefixes=auto"
  cli::RangeKinds kinds;
  uint64_t entry_bytes = 0;  // memory of the range entries
  uint64_t files = 0;        // that scans reach and that have no key for them
  uint64_t rejected = 0;     // of these, by the filter

  uint64_t wasted_reads() const { return files - rejected; }
};

struct FamilyRun {
  uint64_t gets = 0;
  uint64_t gets_of_missing_keys = 0;
  std::vector<LevelGets> levels;  // as FamilyGroups::levels
  uint64_t scans = 0;
  uint64_t empty_scans = 0;  // that find no key
  uint64_t other_seeks = 0;
  std::vector<ScanCosts> scan_costs;  // of now first; empty: there are no scans
  std::string not_run;                // why; empty: the queries were run
  std::string no_scans;               // why scans were not run; empty: they were, or are none

  LevelGets all() const;
};

// Results are as Inspection::groups. `column_family` is that of a file of keys. Reads a data block
// for each Get that a filter lets through, and for scans all keys of each file that they reach.
// Memory: the queries; 4 bytes for each filter that a Get asks; for scans, on each thread, a filter
// of one file. A file that cannot be read fails in `inputs`, and the Gets go on behind it.
std::vector<FamilyRun> RunQueries(const RecordedQueries& queries, const std::string& column_family,
                                  const CommonOptions& common, const Inspection& inspection,
                                  Inputs* inputs);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_QUERIES_QUERY_RUN_H_
