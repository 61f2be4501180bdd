#include "src/engines/rocksdb/options/memory_options.h"

#include "src/engines/rocksdb/options/option_values.h"
#include "src/filter/layouts/limits.h"
#include "src/support/units.h"

namespace bloomline {
namespace {

using support::ErrorText;

template <auto member>
std::string ParseLimit(const char* name, const std::string& value, RocksDBFilterOptions* options) {
  if (value == "0") {
    options->*member = 0;
    return "";
  }
  if (support::ParseBytes(value, &(options->*member))) return "";
  return Wrong(name, value, std::string("0 for no limit, or ") + support::kAllowedBytes);
}

// Writes an error and returns true if the limit is too large.
bool IsLimitTooLarge(const char* name, uint64_t bytes, ErrorText* error) {
  if (bytes <= support::kMaxBytes) return false;
  *error << name << " is " << bytes << "; allowed: 0 to 2^60";
  return true;
}

}  // namespace

std::string ParseMemory(const std::string& value, RocksDBFilterOptions* options) {
  return ParseLimit<&RocksDBFilterOptions::memory_bytes>("memory", value, options);
}

std::string ParseMaxFilterBytes(const std::string& value, RocksDBFilterOptions* options) {
  return ParseLimit<&RocksDBFilterOptions::max_filter_bytes>("max_filter_bytes", value, options);
}

void CheckMemory(const RocksDBFilterOptions& options, PolicySettings*, ErrorText* error) {
  if (IsLimitTooLarge("memory", options.memory_bytes, error) || options.memory_bytes == 0) return;
  if (!options.bits_by_level.empty()) {
    *error << "memory is " << options.memory_bytes
           << " and bits_by_level has numbers; allowed: one of the two";
  }
}

void CheckMaxFilterBytes(const RocksDBFilterOptions& options, PolicySettings*, ErrorText* error) {
  if (IsLimitTooLarge("max_filter_bytes", options.max_filter_bytes, error)) return;
  for (const Format format : {options.format, options.flush_format.value_or(options.format)}) {
    if (options.max_filter_bytes == 0 || !filter::IsStock(format)) continue;
    *error << "max_filter_bytes is " << options.max_filter_bytes
           << " and files have filters of format " << FormatName(format)
           << ", whose bits RocksDB sets before it knows the number of keys; allowed: blocked, "
              "compact";
    return;
  }
}

}  // namespace bloomline
