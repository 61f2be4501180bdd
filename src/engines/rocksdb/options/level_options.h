// Options of the policy that say how bits differ by level, for option_table.h.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_LEVEL_OPTIONS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_LEVEL_OPTIONS_H_

#include <string>

#include "bloomline/rocksdb.h"
#include "src/support/error_text.h"

namespace bloomline {

struct PolicySettings;

std::string ParseBitsByLevel(const std::string& value, RocksDBFilterOptions* options);
void CheckBitsByLevel(const RocksDBFilterOptions& options, PolicySettings*,
                      support::ErrorText* error);
std::string BitsByLevelText(const RocksDBFilterOptions& options);
std::string ParseNumLevels(const std::string& value, RocksDBFilterOptions* options);
void CheckNumLevels(const RocksDBFilterOptions& options, PolicySettings*,
                    support::ErrorText* error);
std::string ParseLevelSizeRatio(const std::string& value, RocksDBFilterOptions* options);
void CheckLevelSizeRatio(const RocksDBFilterOptions& options, PolicySettings*,
                         support::ErrorText* error);
std::string ParseFiltersAtBottom(const std::string& value, RocksDBFilterOptions* options);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_LEVEL_OPTIONS_H_
