// The inspection of all files, which inspect prints and other commands begin with.
#ifndef BLOOMLINE_DB_SURVEY_INSPECTION_H_
#define BLOOMLINE_DB_SURVEY_INSPECTION_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/db/engine_filters/engine_filter.h"
#include "src/db/survey/inputs.h"
#include "src/db/survey/range_kinds.h"
#include "src/db/tables/table.h"

namespace bloomline::db {

// part / all; NaN if all is 0.
inline double Quotient(uint64_t part, uint64_t all) {
  return all == 0 ? std::numeric_limits<double>::quiet_NaN()
                  : static_cast<double>(part) / static_cast<double>(all);
}

// ---- The filters of a table, without the table's keys.

struct LayoutCount {
  uint64_t filters = 0;
  uint64_t bytes = 0;
};
using LayoutCounts =
    std::map<engine_filters::FilterLayout, LayoutCount, engine_filters::LayoutOrder>;

// Totals for the filters of one file, or of several.
struct FilterSums {
  LayoutCounts layouts;
  uint64_t num_filters = 0;   // filters that hold keys
  uint64_t filter_bytes = 0;  // stored bytes of filters that hold keys
  // Keys and prefixes in the filters. LevelDB does not record their number: we count keys in the
  // first blocks, and estimate the others from the filters' sizes. If keys have several entries, we
  // count in all blocks.
  uint64_t num_keys = 0;
  bool keys_estimated = false;
  bool keys_unknown = false;  // num_keys lacks those of a file
  uint64_t entry_bytes = 0;   // EngineFilter::entry_bytes

  void Add(const FilterSums& other);
  uint64_t key_bytes() const { return filter_bytes - entry_bytes; }
  double bits_per_key() const;  // of key_bytes; NaN: no filter, or no known keys
};

// Range filters, in the tables' properties.
struct RangeFacts {
  uint64_t files = 0;
  uint64_t bytes = 0;     // of the properties
  uint64_t num_keys = 0;  // FilterSums::num_keys of these files
  RangeKinds kinds;       // of those that are understood

  void Add(const RangeFacts& other);
  double bits_per_key() const { return 8 * Quotient(bytes, num_keys); }  // NaN: no known keys
};

// If the file lacks a filter, num_keys counts the keys that a filter would have.
struct FileFacts : FilterSums {
  tables::Engine engine = tables::Engine::kLevelDB;
  int format_version = 0;
  tables::FilterKind filter_kind = tables::FilterKind::kNone;
  std::string filter_name;  // the filter block's name
  // The names in the metaindex of filters that nothing known here reads.
  std::vector<std::string> unknown_filters;
  tables::Properties properties;
  uint64_t index_bytes = 0;      // Table::index_bytes
  uint64_t missing_filters = 0;  // filters that a table without filters would have
  // The theoretical false-positive rate, which ignores weaknesses of the hash. 1 without a filter;
  // NaN: unknown.
  double expected_rate = std::numeric_limits<double>::quiet_NaN();
  bool whole_keys = true;
  bool prefixes = false;
  std::string why_unknown;  // why the filter is not understood
  RangeFacts ranges;
  std::string why_unasked;  // why no scan asks the range filter

  bool has_filter() const { return filter_kind != tables::FilterKind::kNone; }
  bool is_block_based() const {
    return engine == tables::Engine::kRocksDB && filter_kind == tables::FilterKind::kByOffset;
  }
  // Similar keys have more false positives than expected_rate: in LevelDB's own filters, and in
  // RocksDB's before format_version 5.
  bool has_weak_hash() const {
    return layouts.count(engine_filters::FilterLayout::kClassic) != 0 ||
           layouts.count(engine_filters::FilterLayout::kRocksDBLegacy) != 0;
  }
};

// The format that writes a file's filters, or the name of their layout: "blocked", "RocksDB
// Ribbon", "unknown: filter.another". Long names of unknown filters are cut off.
std::set<std::string> FormatsOf(const FileFacts& facts);

// Memory: one filter and one data block. Returns false with *error if the file is damaged.
bool InspectFile(const tables::Table& table, FileFacts* facts, std::string* error);

// ---- Files of a level, a column family or a database together.

// The inspection of a file of Inputs::files.
struct InspectedFile {
  FileFacts facts;
  // The fraction of Gets of missing keys that query this file. It is 1 if the file's place in a
  // database is unknown.
  double coverage = 1;
  // Why the running configuration would not use the filter; empty if it would, or if unknown.
  std::string ignored;
  bool used() const { return facts.has_filter() && ignored.empty(); }
  // The rate that a Get sees: 1 if the file has no filter or the configuration does not use it.
  double rate() const { return used() ? facts.expected_rate : 1; }
};

// The sums cover files with filters.
struct Group : FilterSums {
  int level = -1;
  std::vector<size_t> files;  // indexes into Inputs::files; some may fail when they are read again
  std::set<std::string> formats;
  uint64_t bytes = 0;
  RangeFacts ranges;  // of all files
  uint64_t files_without_filter = 0;
  uint64_t ignored_files = 0;
  uint64_t partitioned_files = 0;
  uint64_t keys_without_filter = 0;
  uint64_t missing_filters = 0;
  double unfiltered_runs = 0;  // the part of `runs` whose files have no filter in use
  double runs = 0;             // sorted runs that a Get queries on average: the sum of coverages
  double wasted_reads = 0;     // expected per Get of a missing key

  uint64_t all_keys() const { return num_keys + keys_without_filter; }
  // The false-positive rate of one run.
  double rate() const { return wasted_reads / runs; }
  void AddFile(size_t index, const InspectedFile& file, uint64_t file_bytes);
};

struct FamilyGroups {
  size_t database = 0;
  int column_family = 0;
  std::vector<Group> levels;  // levels that have files
  Group all;
  uint64_t unread_files = 0;  // files with an error, which are not in the groups
};

struct Inspection {
  std::vector<InspectedFile> files;  // one for each of Inputs::files
  std::vector<FamilyGroups> groups;
  // The policy with which each group runs: "bloomfilter:10:false"; empty: unknown.
  std::vector<std::string> policies;
};

// Why RocksDB does not know the policy of the option string, and goes on without filters. Empty: it
// does, or the policy may be a program's own.
std::string WhyNoPolicy(const std::string& policy);

// Adds --policy.
void AddPolicyArgument(CLI::App* command, std::string* policy);

// `name` is that of the pass in its progress. `policy` is the running policy of all databases;
// empty: each OPTIONS file names it.
Inspection Inspect(Inputs* inputs, const CommonOptions& options, const std::string& name,
                   const std::string& policy);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_SURVEY_INSPECTION_H_
