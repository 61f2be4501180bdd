// Preloaded, it makes RocksDB another than bloomline was compiled for: a FilterBuildingContext that
// is larger than in the headers, or an unknown version.
#include <string>

namespace rocksdb {
#ifdef BLOOMLINE_TEST_LAYOUT
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
#else
std::string GetRocksVersionAsString(bool with_patch);
std::string GetRocksVersionAsString(bool) { return "99.9"; }
#endif
}  // namespace rocksdb
