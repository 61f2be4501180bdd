// Prints what the policy libraries of an interface have in common in RocksDB's headers: the places
// of the members that they read, the sizes of what they make, the bytes of a Status that they
// return, and the numbers of virtual functions. `places` compiles it with the headers of each
// version. It links nothing. Left out is no_block_cache, which layout_check.cc sets: elsewhere,
// RocksDB only makes a cache more.
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>

#include "rocksdb/cache.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/object_registry.h"
#include "rocksdb/utilities/options_type.h"
#include "rocksdb/version.h"

using namespace ROCKSDB_NAMESPACE;

#define PRINT_PLACE(type, member) std::printf("%s.%s %zu\n", #type, #member, offsetof(type, member))
#define PRINT_SIZE(type) std::printf("sizeof %s %zu\n", #type, sizeof(type))
#define PRINT_VALUE(value) std::printf("%s %d\n", #value, static_cast<int>(value))

namespace {

// The first word of a pointer to a virtual function is 1 + its place in the virtual table.
template <typename F>
void PrintFunction(const char* name, F function) {
  ptrdiff_t place;
  std::memcpy(&place, &function, sizeof(place));
  std::printf("virtual %s %td\n", name, place - 1);
}
#define PRINT_FUNCTION(function) PrintFunction(#function, &function)

struct Protected : FilterPolicy {
  static void Print() {
    PRINT_FUNCTION(Protected::ConfigureOptions);
    PRINT_FUNCTION(Protected::SerializeOptions);
  }
};

void PrintOptions() {
  PRINT_PLACE(BlockBasedTableOptions, block_cache);
  PRINT_PLACE(BlockBasedTableOptions, index_type);
  PRINT_PLACE(BlockBasedTableOptions, partition_filters);
  PRINT_PLACE(BlockBasedTableOptions, optimize_filters_for_memory);
  PRINT_PLACE(BlockBasedTableOptions, detect_filter_construct_corruption);
  PRINT_PLACE(BlockBasedTableOptions, format_version);
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 703
  PRINT_PLACE(BlockBasedTableOptions, cache_usage_options);
#else
  PRINT_PLACE(BlockBasedTableOptions, reserve_table_builder_memory);
#endif
  PRINT_VALUE(BlockBasedTableOptions::kTwoLevelIndexSearch);
#if ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 702
  PRINT_VALUE(CacheEntryRole::kFilterConstruction);
#endif
  PRINT_SIZE(ConfigOptions);
  PRINT_PLACE(ConfigOptions, ignore_unknown_options);
  PRINT_PLACE(ConfigOptions, input_strings_escaped);
  PRINT_PLACE(ConfigOptions, invoke_prepare_options);
  PRINT_PLACE(ConfigOptions, mutable_options_only);
  PRINT_PLACE(ConfigOptions, delimiter);
  PRINT_PLACE(ConfigOptions, depth);
  PRINT_SIZE(OptionTypeInfo);
  PRINT_VALUE(OptionType::kString);
  PRINT_VALUE(OptionVerificationType::kNormal);
  PRINT_VALUE(OptionTypeFlags::kMutable);
  PRINT_SIZE(ObjectLibrary);
  PRINT_SIZE(ObjectLibrary::PatternEntry);
}

// Which bytes the constructor sets: later versions read those that earlier headers leave.
void PrintStatus() {
  unsigned char bytes[sizeof(Status)];
  std::memset(bytes, 0xA5, sizeof(bytes));
  new (bytes) Status();
  std::printf("Status");
  for (const unsigned char byte : bytes) std::printf(" %02x", byte);
  std::printf("\n");
}

void PrintFile() {
  PRINT_SIZE(FilterBuildingContext);
  PRINT_PLACE(FilterBuildingContext, compaction_style);
  PRINT_PLACE(FilterBuildingContext, num_levels);
  PRINT_PLACE(FilterBuildingContext, info_log);
  PRINT_PLACE(FilterBuildingContext, column_family_name);
  PRINT_PLACE(FilterBuildingContext, level_at_creation);
  PRINT_PLACE(FilterBuildingContext, is_bottommost);
  PRINT_PLACE(FilterBuildingContext, reason);
  PRINT_VALUE(TableFileCreationReason::kFlush);
  PRINT_VALUE(TableFileCreationReason::kRecovery);
  PrintStatus();
}

void PrintFunctions() {
  PRINT_SIZE(FilterPolicy);
  PRINT_FUNCTION(FilterPolicy::Name);
  PRINT_FUNCTION(FilterPolicy::CompatibilityName);
  PRINT_FUNCTION(FilterPolicy::GetId);
  PRINT_FUNCTION(FilterPolicy::ValidateOptions);
  PRINT_FUNCTION(FilterPolicy::PrepareOptions);
  PRINT_FUNCTION(FilterPolicy::GetBuilderWithContext);
  PRINT_FUNCTION(FilterPolicy::GetFilterBitsReader);
  Protected::Print();
  PRINT_FUNCTION(Comparator::CanKeysWithDifferentByteContentsBeEqual);
  PRINT_FUNCTION(Comparator::GetRootComparator);
}

}  // namespace

int main() {
  PrintOptions();
  PrintFile();
  PrintFunctions();
}
