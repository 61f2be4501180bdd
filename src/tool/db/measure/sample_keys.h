// Keys of tables, and keys like them that may be missing.
#ifndef BLOOMLINE_TOOL_DB_MEASURE_SAMPLE_KEYS_H_
#define BLOOMLINE_TOOL_DB_MEASURE_SAMPLE_KEYS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/inspect/sstable/table.h"
#include "src/tool/db/table_filters.h"

namespace bloomline::tool::db {

// A few keys of a table, spread over it, without timestamps. False with *error: damaged.
bool SampleKeys(const sstable::Table& table, std::vector<std::string>* keys, std::string* error);

uint64_t MeanBytes(const std::vector<std::string>& keys);
constexpr uint64_t kMostSampleBytes = 64 << 20;  // of the missing keys for one table, about

// About `samples` keys, or prefixes, of which most are missing in a table: half of them keys of
// other tables, half random ones that look like the table's own and lie between them.
std::vector<std::string> MissingCandidates(const FilterKeys& keys, bool prefixes, uint64_t samples,
                                           uint64_t seed, const std::vector<std::string>& own,
                                           const std::vector<std::string>& others);

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_MEASURE_SAMPLE_KEYS_H_
