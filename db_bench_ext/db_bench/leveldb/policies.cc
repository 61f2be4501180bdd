#include "db_bench_ext/db_bench/leveldb/policies.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "bloomline/leveldb.h"
#include "db_bench_ext/db_bench/leveldb/extension.h"
#include "db_bench_ext/db_bench/leveldb/settings.h"

namespace bloomline::bench {
namespace {

std::atomic<uint64_t> queries{0};
std::atomic<uint64_t> rejected{0};

class CountingPolicy final : public leveldb::FilterPolicy {
 public:
  explicit CountingPolicy(const leveldb::FilterPolicy* policy) : policy_(policy) {}

  const char* Name() const override { return policy_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override {
    policy_->CreateFilter(keys, n, dst);
  }
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    const bool may_match = policy_->KeyMayMatch(key, filter);
    queries.fetch_add(1, std::memory_order_relaxed);
    if (!may_match) rejected.fetch_add(1, std::memory_order_relaxed);
    return may_match;
  }

 private:
  const std::unique_ptr<const leveldb::FilterPolicy> policy_;
};

Format FormatOf(PolicyKind kind) {
  switch (kind) {
    case PolicyKind::kClassic:
      return Format::kClassic;
    case PolicyKind::kCompact:
      return Format::kCompact;
    default:
      return Format::kBlocked;
  }
}

const leveldb::FilterPolicy* PolicyOf(PolicyKind kind, int bits_per_key) {
  if (kind == PolicyKind::kBuiltin) return leveldb::NewBloomFilterPolicy(bits_per_key);
  FilterOptions options;
  options.format = FormatOf(kind);
  options.bits_per_key = bits_per_key;
  std::string error;
  const leveldb::FilterPolicy* policy =
      NewLevelDBFilterPolicy(options, kLevelDBBuiltinName, &error);
  if (policy == nullptr) {
    std::fprintf(stderr, "--bloom_bits=%d: %s\n", bits_per_key, error.c_str());
    std::exit(1);
  }
  return policy;
}

}  // namespace

FilterCounts CountsSoFar() { return {queries.load(), rejected.load()}; }

const leveldb::FilterPolicy* NewPolicy(int bits_per_key) {
  const Settings& settings = TheSettings();
  if (settings.policy == PolicyKind::kNone) return nullptr;
  const leveldb::FilterPolicy* policy = PolicyOf(settings.policy, bits_per_key);
  return settings.count ? new CountingPolicy(policy) : policy;
}

}  // namespace bloomline::bench
