// Compiled with _GLIBCXX_USE_CXX11_ABI=0, so no std::string may leave this file but for LevelDB.
#include "src/engines/preload/old_string_policy.h"

#include <memory>
#include <string>

namespace bloomline::preload {
namespace {

class OldStringPolicy final : public leveldb::FilterPolicy {
 public:
  explicit OldStringPolicy(const leveldb::FilterPolicy* policy) : policy_(policy) {}

  const char* Name() const override { return policy_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override {
    const auto append = [](void* string, const char* bytes, size_t num_bytes) {
      static_cast<std::string*>(string)->append(bytes, num_bytes);
    };
    AppendFilter(*policy_, keys, n, append, dst);
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
