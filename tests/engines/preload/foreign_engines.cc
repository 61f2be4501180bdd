#include "tests/engines/preload/foreign_engines.h"

#include <cstdlib>
#include <memory>
#include <string>

namespace {
char object;
}

namespace leveldb {

const FilterPolicy* const own_policy = reinterpret_cast<const FilterPolicy*>(&object);
const FilterPolicy* NewBloomFilterPolicy(int) { return own_policy; }

#ifdef BLOOMLINE_TEST_BASHO
// Basho's LevelDB has GNU's std::string, and other filters under LevelDB's policy name.
const FilterPolicy* NewBloomFilterPolicy2(int) { return own_policy; }
class Status;
class Options;
class DB {
  static Status Open(const Options& options, const std::string& name, DB** db);
};
class Status {};
Status DB::Open(const Options&, const std::string&, DB**) { return Status(); }
#endif

}  // namespace leveldb

namespace rocksdb {
const FilterPolicy* const own_policy = reinterpret_cast<const FilterPolicy*>(&object);
const FilterPolicy* NewBloomFilterPolicy(double, bool) { return own_policy; }
const FilterPolicy* NewRibbonFilterPolicy(double, int) { return own_policy; }

Status DB::Open(const Options&, const std::string& name, DB**) {
  if (std::getenv("TEST_THROW") != nullptr) throw 1;
  Status status;
  status.text[9] = name == "options" ? own_policy : nullptr;
  return status;
}
Status DB::Open(const DBOptions&, const std::string& name,
                const std::vector<ColumnFamilyDescriptor>&, std::vector<ColumnFamilyHandle*>*,
                DB**) {
  Status status;
  status.text[9] = name == "families" ? own_policy : nullptr;
  return status;
}

#ifdef BLOOMLINE_TEST_VERSION
std::string GetRocksVersionAsString(bool with_patch);
std::string GetRocksVersionAsString(bool) { return std::getenv("TEST_ROCKSDB_VERSION"); }

// The name of this function says which std::string RocksDB has.
class ConfigOptions;
class FilterPolicy {
  static void CreateFromString(const ConfigOptions& options, const std::string& text,
                               std::shared_ptr<const FilterPolicy>* policy);
};
void FilterPolicy::CreateFromString(const ConfigOptions&, const std::string&,
                                    std::shared_ptr<const FilterPolicy>*) {}
#endif
}  // namespace rocksdb
