// Compiled with _GLIBCXX_USE_CXX11_ABI=0, so no std::string may leave this file but for LevelDB.
#include "src/engines/preload/old_string_policy.h"

#include <memory>
#include <new>
#include <string>

namespace bloomline::preload {
namespace {

// An empty string of before GCC 5 points at an object of its C++ library. LevelDB may have a C++
// library of its own, hidden in its file: append() here would free that object, which malloc did
// not give. So an empty string is replaced, not changed. This loses the few bytes of one that has
// memory without capacity, as a cleared copy may; LevelDB appends filters to none of them.
//
// All other memory is freed by the C++ library that uses it last, whichever allocated it. Both call
// malloc and free, unless the program has its own operator new, which a hidden library does not
// see. Then free must take what that operator new gives.
void Append(void* string, const char* bytes, size_t num_bytes) {
  auto* const dst = static_cast<std::string*>(string);
  if (num_bytes == 0) return;
  if (dst->capacity() == 0) {
    new (dst) std::string(bytes, num_bytes);
  } else {
    dst->append(bytes, num_bytes);
  }
}

class OldStringPolicy final : public leveldb::FilterPolicy {
 public:
  explicit OldStringPolicy(const leveldb::FilterPolicy* policy) : policy_(policy) {}

  const char* Name() const override { return policy_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override {
    AppendFilter(*policy_, keys, n, Append, dst);
  }
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    return policy_->KeyMayMatch(key, filter);
  }

 private:
  const std::unique_ptr<const leveldb::FilterPolicy> policy_;
};

}  // namespace

const leveldb::FilterPolicy* NewOldStringPolicy(const leveldb::FilterPolicy* policy) {
  return new OldStringPolicy(policy);
}

}  // namespace bloomline::preload
