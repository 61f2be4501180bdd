// Options of the policy that limit the memory of filters, for option_table.h.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_MEMORY_OPTIONS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_MEMORY_OPTIONS_H_

#include <string>

#include "bloomline/rocksdb.h"
#include "src/support/error_text.h"

namespace bloomline {

struct PolicySettings;

std::string ParseMemory(const std::string& value, RocksDBFilterOptions* options);
std::string ParseMaxFilterBytes(const std::string& value, RocksDBFilterOptions* options);
void CheckMemory(const RocksDBFilterOptions& options, PolicySettings*, support::ErrorText* error);
void CheckMaxFilterBytes(const RocksDBFilterOptions& options, PolicySettings*,
                         support::ErrorText* error);
}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_MEMORY_OPTIONS_H_
