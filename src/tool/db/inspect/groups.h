// Files of a level, a column family or a database together.
#ifndef BLOOMLINE_TOOL_DB_INSPECT_GROUPS_H_
#define BLOOMLINE_TOOL_DB_INSPECT_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/tool/db/common.h"
#include "src/tool/db/inspect/inspect_file.h"

namespace bloomline::tool::db {

// What inspect knows of a file of Inputs::files.
struct InspectedFile {
  FileFacts facts;
  bool in_groups = false;  // it was inspected; commands that read more may fail in it later
  // The fraction of Gets of missing keys that query this file (coverage.h). Of a file whose place
  // in a database is unknown: 1.
  double coverage = 1;
  // Why the running configuration would not use the filter; empty: it would, or it is not known.
  std::string ignored;
  bool policy_unknown = false;  // a policy is given or recorded, but not known to this program
  bool used() const { return facts.has_filter() && ignored.empty(); }
  // The rate that a Get sees: 1 if there is no filter, or if it is not used.
  double rate() const { return used() ? facts.expected_rate : 1; }
};

struct Group {
  int level = -1;
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint64_t files_without_filter = 0;
  uint64_t bytes_without_filter = 0;
  uint64_t ignored_files = 0;
  uint64_t ignored_bytes = 0;
  uint64_t prefix_files = 0;
  uint64_t prefix_only_files = 0;
  uint64_t partitioned_files = 0;
  uint64_t num_filters = 0;
  uint64_t num_keys = 0;  // in filters
  uint64_t keys_without_filter = 0;
  bool keys_estimated = false;
  uint64_t filter_bytes = 0;
  double runs = 0;          // sorted runs that a Get queries on average: the sum of coverages
  double wasted_reads = 0;  // expected per Get of a missing key
  std::map<std::string, uint64_t> names;  // files by the name of their filter
  LayoutCounts layouts;

  double bits_per_key() const;
  // Of a query of one run: wasted_reads / runs.
  double rate() const;
  void Add(const InspectedFile& file, uint64_t file_bytes);
};

struct FamilyGroups {
  size_t database = 0;
  int column_family = 0;
  std::vector<Group> levels;  // those that have files
  Group all;
};

// Sets the coverage of all files that are done.
void FindCoverage(const Inputs& inputs, std::vector<InspectedFile>* files);

// The files that are done, by database and column family. Files that were named on their own have
// level -1, and their rates are averaged over keys.
std::vector<FamilyGroups> GroupFiles(const Inputs& inputs, const std::vector<InspectedFile>& files);

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_INSPECT_GROUPS_H_
