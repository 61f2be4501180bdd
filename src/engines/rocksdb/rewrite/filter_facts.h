// Finds the filter of a table file, and the filter that its policy would write now.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_REWRITE_FILTER_FACTS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_REWRITE_FILTER_FACTS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"

namespace bloomline::engine {

// A file's filter.
struct FileFilter {
  std::string kind = "none";  // RewriteReport::before
  uint64_t num_partitions = 1;
  uint64_t bytes = 0;  // 0 for a filter that the policy would write
  double bits_per_key = 0;
};

// The rounding of filters' sizes.
enum class SizeRounding {
  kBlocks,
  kAllocations,  // optimize_filters_for_memory
  kFewSizes,     // the same, with an allocator that has few sizes, such as jemalloc
};

// RewriteFilters in bloomline/rewrite_filters.h says when filters count as different.
bool HasOtherFilter(const FileFilter& filter, const FileFilter& wanted,
                    SizeRounding rounding = SizeRounding::kBlocks);

struct TableFacts {
  FileFilter filter;
  // The number of keys in the filter or its largest partition; without a filter, the number of the
  // file's entries. It is an estimate for partitions, and if RocksDB did not record the number.
  uint64_t sample_keys = 0;
  // A filter would be empty: there are no keys, or it holds only prefixes and no key has one.
  bool has_nothing_to_filter = false;
};

// Reads files through RocksDB, with a policy that notes which filters it gets. So encrypted files
// and files of any Env can be read, too.
class TableProbe {
 public:
  // Returns null, with a sentence in *error, if the column family cannot have filters.
  static std::unique_ptr<TableProbe> New(const ROCKSDB_NAMESPACE::Options& options,
                                         std::string* error);

  Status Read(const std::string& path, TableFacts* facts) const;
  // Compares all checksums.
  Status Verify(const std::string& path) const;

  // Tells the policy where the database has files, as if the policy had written them.
  void TellPolicy(const std::string& column_family, int level, bool is_bottommost) const;
  // The filter that the policy would write for a file at this place.
  FileFilter Wanted(const std::string& column_family, int level, bool is_bottommost,
                    const TableFacts& facts) const;

  SizeRounding rounding() const;

 private:
  TableProbe(const ROCKSDB_NAMESPACE::Options& options, const BlockBasedTableOptions& table)
      : options_(options), table_(table) {}

  FilterBuildingContext Context(const std::string& column_family, int level,
                                bool is_bottommost) const;
  // Returns the builder for a file that RocksDB is about to write, with limits on memory applied.
  // May be null.
  std::unique_ptr<FilterBitsBuilder> NewBuilder(const FilterBuildingContext& context) const;
  // The bits per key that max_filter_bytes leaves a filter of `keys` keys; infinity without it.
  double BitsWithinLimit(uint64_t keys) const;
  FileFilter Sample(const FilterBuildingContext& context, uint64_t num_keys) const;

  const ROCKSDB_NAMESPACE::Options options_;
  const BlockBasedTableOptions table_;
};

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_REWRITE_FILTER_FACTS_H_
