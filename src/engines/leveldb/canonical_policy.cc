#include "src/engines/leveldb/canonical_policy.h"

#include <string>
#include <utility>
#include <vector>

#include "leveldb/slice.h"
#include "src/engines/leveldb/always_match.h"
#include "src/filter/format/canonical_keys.h"

namespace bloomline {
namespace {

using leveldb::Slice;

// The canonical forms of the keys of one filter.
class CanonicalKeys {
 public:
  // False: at least one is missing. May throw bad_alloc.
  bool Add(const KeyCanonicalizer& canonicalizer, const Slice* keys, size_t n) {
    sizes_.reserve(n);
    filter::CanonicalKey key;
    for (size_t i = 0; i < n; ++i) {
      key.Set(canonicalizer, {keys[i].data(), keys[i].size()});
      if (!key.is_known()) return false;
      bytes_ += key.bytes();
      sizes_.push_back(key.bytes().size());
    }
    return true;
  }

  // They point into this object.
  std::vector<Slice> Slices() const {
    std::vector<Slice> slices;
    slices.reserve(sizes_.size());
    const char* next = bytes_.data();
    for (const size_t size : sizes_) {
      slices.emplace_back(next, size);
      next += size;
    }
    return slices;
  }

 private:
  std::string bytes_;
  std::vector<size_t> sizes_;
};

class CanonicalLevelDBPolicy final : public leveldb::FilterPolicy {
 public:
  CanonicalLevelDBPolicy(std::unique_ptr<const leveldb::FilterPolicy> policy,
                         std::shared_ptr<const KeyCanonicalizer> canonicalizer)
      : policy_(std::move(policy)), canonicalizer_(std::move(canonicalizer)) {}

  const char* Name() const override { return policy_->Name(); }

  void CreateFilter(const Slice* keys, int n, std::string* dst) const override {
    if (n <= 0) return policy_->CreateFilter(keys, n, dst);
    const bool written = support::OrIfOutOfMemory(false, [&] {
      CanonicalKeys canonical;
      if (!canonical.Add(*canonicalizer_, keys, static_cast<size_t>(n))) return false;
      const std::vector<Slice> slices = canonical.Slices();
      policy_->CreateFilter(slices.data(), n, dst);
      return true;
    });
    if (!written) AppendAlwaysMatch(dst);
  }

  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    filter::CanonicalKey canonical;
    canonical.Set(*canonicalizer_, {key.data(), key.size()});
    return !canonical.is_known() ||
           policy_->KeyMayMatch(Slice(canonical.bytes().data(), canonical.bytes().size()), filter);
  }

 private:
  const std::unique_ptr<const leveldb::FilterPolicy> policy_;
  const std::shared_ptr<const KeyCanonicalizer> canonicalizer_;
};

}  // namespace

std::unique_ptr<const leveldb::FilterPolicy> NewCanonicalLevelDBPolicy(
    std::unique_ptr<const leveldb::FilterPolicy> policy,
    std::shared_ptr<const KeyCanonicalizer> canonicalizer) {
  return std::make_unique<const CanonicalLevelDBPolicy>(std::move(policy),
                                                        std::move(canonicalizer));
}

}  // namespace bloomline
