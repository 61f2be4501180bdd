// A LevelDB whose filters have the name of early versions, and so perhaps another hash; or, with
// the std::string before GCC 5, one of today that writes the filter that matches every key.
#include <string>

#include "leveldb/db.h"
#include "leveldb/filter_policy.h"

namespace leveldb {
namespace {

class OldPolicy : public FilterPolicy {
 public:
#if _GLIBCXX_USE_CXX11_ABI
  const char* Name() const override { return "leveldb.BuiltinBloomFilter"; }
  void CreateFilter(const Slice*, int, std::string*) const override {}
#else
  const char* Name() const override { return "leveldb.BuiltinBloomFilter2"; }
  void CreateFilter(const Slice*, int, std::string* dst) const override { dst->append("\377", 1); }
#endif
  bool KeyMayMatch(const Slice&, const Slice&) const override { return true; }
};

}  // namespace

FilterPolicy::~FilterPolicy() = default;
const FilterPolicy* NewBloomFilterPolicy(int) { return new OldPolicy; }
Status DB::Open(const Options&, const std::string&, DB**) { return Status(); }

}  // namespace leveldb
