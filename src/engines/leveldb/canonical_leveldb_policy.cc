// NewCanonicalLevelDBFilterPolicy.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/key_canonicalizer.h"
#include "bloomline/leveldb.h"
#include "leveldb/slice.h"
#include "src/filter/container/policy_names.h"
#include "src/support/set_error.h"

namespace bloomline {
namespace {

using leveldb::FilterPolicy;
using leveldb::Slice;

class CanonicalLevelDBPolicy final : public FilterPolicy {
 public:
  CanonicalLevelDBPolicy(std::unique_ptr<const FilterPolicy> policy,
                         std::shared_ptr<const KeyCanonicalizer> canonicalizer)
      : policy_(std::move(policy)),
        canonicalizer_(std::move(canonicalizer)),
        name_(filter::CanonicalName(policy_->Name(), canonicalizer_->Name())) {}

  const char* Name() const noexcept override { return name_.c_str(); }

  void CreateFilter(const Slice* keys, int n, std::string* dst) const noexcept override {
    std::vector<std::string> forms;
    std::vector<Slice> slices;
    for (int i = 0; i < n; ++i) {
      std::string buffer;
      forms.emplace_back(canonicalizer_->Canonicalize({keys[i].data(), keys[i].size()}, &buffer));
    }
    slices.assign(forms.begin(), forms.end());
    policy_->CreateFilter(slices.data(), n, dst);
  }

  bool KeyMayMatch(const Slice& key, const Slice& filter) const noexcept override {
    std::string buffer;
    const std::string_view form = canonicalizer_->Canonicalize({key.data(), key.size()}, &buffer);
    return policy_->KeyMayMatch(Slice(form.data(), form.size()), filter);
  }

 private:
  const std::unique_ptr<const FilterPolicy> policy_;
  const std::shared_ptr<const KeyCanonicalizer> canonicalizer_;
  const std::string name_;
};

}  // namespace

const FilterPolicy* NewCanonicalLevelDBFilterPolicy(
    std::unique_ptr<const FilterPolicy> policy,
    std::shared_ptr<const KeyCanonicalizer> canonicalizer, std::string* error) {
  return support::OrReport(
      "LevelDB filter policy", error, [&](std::string* reason) -> const FilterPolicy* {
        if (policy != nullptr && canonicalizer != nullptr && *canonicalizer->Name() != '\0') {
          return new CanonicalLevelDBPolicy(std::move(policy), std::move(canonicalizer));
        }
        *reason =
            "the policy, the canonicalizer or its name is missing; allowed: objects, and a name of "
            "at least one character";
        return nullptr;
      });
}

}  // namespace bloomline
