// Preloaded, it makes RocksDB's FilterBuildingContext larger than in the headers.
#include <new>
#include <string>

namespace rocksdb {
struct BlockBasedTableOptions;

struct FilterBuildingContext {
  explicit FilterBuildingContext(const BlockBasedTableOptions& options);

  const BlockBasedTableOptions& table_options;
  int compaction_style = 0;
  int num_levels = -1;
  void* info_log = nullptr;
  std::string column_family_name;
  int level_at_creation = -1;
  bool is_bottommost = false;
  char reason = 3;
  void* added = nullptr;
};

FilterBuildingContext::FilterBuildingContext(const BlockBasedTableOptions& options)
    : table_options(options) {}
}  // namespace rocksdb
