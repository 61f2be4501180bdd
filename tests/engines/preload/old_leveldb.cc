// A LevelDB whose filters have the name of early versions, and so perhaps another hash.
#include <string>

#include "leveldb/db.h"
#include "leveldb/filter_policy.h"

namespace leveldb {
namespace {

class OldPolicy : public FilterPolicy {
 public:
  const char* Name() const override { return "leveldb.BuiltinBloomFilter"; }
  void CreateFilter(const Slice*, int, std::string*) const override {}
  bool KeyMayMatch(const Slice&, const Slice&) const override { return true; }
};

}  // namespace

FilterPolicy::~FilterPolicy() = default;
const FilterPolicy* NewBloomFilterPolicy(int) { return new OldPolicy; }
Status DB::Open(const Options&, const std::string&, DB**) { return Status(); }

}  // namespace leveldb
