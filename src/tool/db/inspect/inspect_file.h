// What the filters of a table are, without the table's keys.
#ifndef BLOOMLINE_TOOL_DB_INSPECT_INSPECT_FILE_H_
#define BLOOMLINE_TOOL_DB_INSPECT_INSPECT_FILE_H_

#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "src/inspect/engine_filters/engine_filter.h"
#include "src/inspect/sstable/table.h"

namespace bloomline::tool::db {

struct LayoutCount {
  uint64_t filters = 0;
  uint64_t bytes = 0;
};
using LayoutCounts = std::map<engine_filters::Layout, LayoutCount>;

struct FileFacts {
  sstable::Engine engine = sstable::Engine::kLevelDB;
  int format_version = 0;
  sstable::FilterKind kind = sstable::FilterKind::kNone;
  std::string filter_name;    // that of the filter block
  std::string filter_policy;  // RocksDB's property
  LayoutCounts layouts;
  uint64_t num_filters = 0;   // that hold keys
  uint64_t filter_bytes = 0;  // as stored, of filters that hold keys
  // Keys, and prefixes, in the filters. LevelDB does not record it: it is counted in the first
  // blocks, and estimated from the filters' sizes for the others.
  uint64_t num_keys = 0;
  bool keys_estimated = false;
  // Of a LevelDB table without filters: how many keys each would hold. 0: unknown.
  uint64_t keys_per_missing_filter = 0;
  // Of a query of a missing key, from theory, without regard to weaknesses of the hash. 1 without
  // filter; NaN: unknown.
  double expected_rate = std::numeric_limits<double>::quiet_NaN();
  bool whole_keys = true;
  bool prefixes = false;
  std::string prefix_extractor;
  std::string comparator;
  std::string why_unknown;    // of a filter that is not understood
  std::string canonicalizer;  // that a filter of bloomline records

  bool has_filter() const { return kind != sstable::FilterKind::kNone; }
};

const char* KindName(sstable::FilterKind kind);

// Memory: one filter and one data block. False with *error: damaged.
bool InspectFile(const sstable::Table& table, FileFacts* facts, std::string* error);

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_INSPECT_INSPECT_FILE_H_
