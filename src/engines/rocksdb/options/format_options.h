// Options of the policy that say which filter a file gets: bits_per_key, format, flush_format, seed
// and stock_id, for option_table.h.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_FORMAT_OPTIONS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_FORMAT_OPTIONS_H_

#include <string>

#include "bloomline/rocksdb.h"
#include "src/support/error_text.h"

namespace bloomline {

struct PolicySettings;

std::string ParseBitsPerKey(const std::string& value, RocksDBFilterOptions* options);
// Checks the bits per key, the format and the seed.
void CheckFilter(const RocksDBFilterOptions& options, PolicySettings* settings,
                 support::ErrorText* error);
std::string ParseFormat(const std::string& value, RocksDBFilterOptions* options);
std::string FormatText(const RocksDBFilterOptions& options);
std::string ParseFlushFormat(const std::string& value, RocksDBFilterOptions* options);
void CheckFlushFormat(const RocksDBFilterOptions& options, PolicySettings*,
                      support::ErrorText* error);
std::string FlushFormatText(const RocksDBFilterOptions& options);
std::string ParseSeed(const std::string& value, RocksDBFilterOptions* options);
std::string SeedText(const RocksDBFilterOptions& options);
std::string ParseStockId(const std::string& value, RocksDBFilterOptions* options);
void CheckStockId(const RocksDBFilterOptions& options, PolicySettings*, support::ErrorText* error);

// Which bits per key are allowed, for errors.
std::string BitsPerKeyText();

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_FORMAT_OPTIONS_H_
