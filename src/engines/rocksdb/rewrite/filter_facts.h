// The filter of a table file, and the one that its policy would write now.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_REWRITE_FILTER_FACTS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_REWRITE_FILTER_FACTS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"

namespace bloomline::engine {

// A file's filter.
struct FileFilter {
  std::string kind = "none";  // RewriteReport::before
  uint64_t num_partitions = 1;
  uint64_t bytes = 0;  // 0 of a filter that the policy would write
  double bits_per_key = 0;
};

// The rounding of filters' sizes.
enum class SizeRounding {
  kBlocks,
  kAllocations,  // optimize_filters_for_memory
  kFewSizes,     // and the allocator has few, as jemalloc has
};

// RewriteFilters in bloomline/rewrite_filters.h says when.
bool HasOtherFilter(const FileFilter& filter, const FileFilter& wanted,
                    SizeRounding rounding = SizeRounding::kBlocks);

struct TableFacts {
  FileFilter filter;
  // How many keys the filter or its largest partition has; without a filter, the entries of the
  // file. About right for partitions and for files of RocksDB versions that do not record it.
  uint64_t sample_keys = 0;
  // No key has a prefix, and only prefixes go to the filter, so it would be empty.
  bool has_nothing_to_filter = false;
};

// Reads files as RocksDB does, with a policy that notes which filters it is given. So encrypted
// files and those of any Env can be read, too.
class TableProbe {
 public:
  // Returns null, with a sentence in *error, if the column family cannot have filters.
  static std::unique_ptr<TableProbe> New(const ROCKSDB_NAMESPACE::Options& options,
                                         std::string* error);

  ROCKSDB_NAMESPACE::Status Read(const std::string& path, TableFacts* facts) const;
  // Compares all checksums.
  ROCKSDB_NAMESPACE::Status Verify(const std::string& path) const;

  // The policy learns from this where the database has files, as if it had written them.
  void TellPolicy(const std::string& column_family, int level, bool is_bottommost) const;
  // The filter that the policy would write for a file at this place.
  FileFilter Wanted(const std::string& column_family, int level, bool is_bottommost,
                    const TableFacts& facts) const;

  SizeRounding rounding() const;

 private:
  TableProbe(const ROCKSDB_NAMESPACE::Options& options,
             const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table)
      : options_(options), table_(table) {}

  ROCKSDB_NAMESPACE::FilterBuildingContext Context(const std::string& column_family, int level,
                                                   bool is_bottommost) const;
  // The builder for a file that RocksDB is about to write; limited memory has its effect. May be
  // null.
  std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> NewBuilder(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const;
  // The bits per key that max_filter_bytes leaves a filter of `keys` keys; infinity without it.
  double BitsWithinLimit(uint64_t keys) const;
  FileFilter Sample(const ROCKSDB_NAMESPACE::FilterBuildingContext& context,
                    uint64_t num_keys) const;

  const ROCKSDB_NAMESPACE::Options options_;
  const ROCKSDB_NAMESPACE::BlockBasedTableOptions table_;
};

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_REWRITE_FILTER_FACTS_H_
