#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/leveldb.h"
#include "tests/db/planted_losses.h"

namespace bloomline::tests {
namespace {

using Policy = std::shared_ptr<const leveldb::FilterPolicy>;

class DamagingPolicy : public leveldb::FilterPolicy {
 public:
  DamagingPolicy(Policy policy, uint64_t seed)
      : policy_(std::move(policy)), seed_(seed), random_(seed) {}
  const char* Name() const override { return policy_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override {
    const size_t start = dst->size();
    policy_->CreateFilter(keys, n, dst);
    // The last byte is the filter's code.
    if (seed_ != 0 && dst->size() > start + 1) {
      DamageBits(dst->data() + start, dst->size() - start - 1, &random_);
    }
  }
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    return policy_->KeyMayMatch(key, filter);
  }

 private:
  const Policy policy_;
  const uint64_t seed_;
  mutable std::mt19937_64 random_;
};

struct Setting {
  Policy policy;
  size_t block_bytes = 4096;
};

std::unique_ptr<leveldb::DB> Open(const Setting& setting, const leveldb::FilterPolicy* policy,
                                  const std::string& folder) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.filter_policy = policy;
  options.block_size = setting.block_bytes;
  options.block_restart_interval = 1;
  options.compression = leveldb::kNoCompression;
  leveldb::DB* db = nullptr;
  Check(leveldb::DB::Open(options, folder, &db));
  return std::unique_ptr<leveldb::DB>(db);
}

void Write(const Setting& setting, const std::string& folder, const Keys& keys, uint64_t seed) {
  const DamagingPolicy policy(setting.policy, seed);
  const auto db = Open(setting, &policy, folder);
  const size_t step = keys.size() / kTables;
  for (size_t i = 0; i < keys.size(); ++i) {
    Check(db->Put({}, keys[i], "value"));
    if ((i + 1) % step != 0) continue;
    // Writes what is in memory to a table, and leaves the others as they are.
    const leveldb::Slice first = keys[i + 1 - step];
    const leveldb::Slice last = keys[i];
    db->CompactRange(&first, &last);
  }
}

Keys Lost(const Setting& setting, const std::string& folder, const Keys& keys) {
  const auto db = Open(setting, setting.policy.get(), folder);
  Keys lost;
  std::string value;
  for (const std::string& key : keys) {
    const leveldb::Status status = db->Get({}, key, &value);
    if (!status.IsNotFound()) Check(status);
    if (status.IsNotFound()) lost.push_back(key);
  }
  return lost;
}

Kind MakeKind(std::string name, int num_keys, const Setting& setting) {
  const auto write = [setting](const std::string& folder, const Keys& keys, uint64_t seed) {
    Write(setting, folder, keys, seed);
  };
  const auto lost = [setting](const std::string& folder, const Keys& keys) {
    return Lost(setting, folder, keys);
  };
  return {std::move(name), num_keys, write, {{Loss::kKey, lost}}, setting.block_bytes};
}

Policy Bloomline(Format format) { return Policy(NewLevelDBFilterPolicy({format})); }

}  // namespace

std::vector<Kind> LevelDBKinds() {
  constexpr int kKeys = 4000;
  constexpr size_t kLargeBlocks = 32768;  // more than 500 keys: blocked, not flat
  const Policy blocked = Bloomline(Format::kBlocked);
  const Policy compact = Bloomline(Format::kCompact);
  return {MakeKind("LevelDBStock", kKeys, {Policy(leveldb::NewBloomFilterPolicy(10))}),
          MakeKind("LevelDBBlocked", kKeys, {blocked}),
          MakeKind("LevelDBBlockedLargeBlocks", 4 * kKeys, {blocked, kLargeBlocks}),
          MakeKind("LevelDBCompact", kKeys, {compact}),
          MakeKind("LevelDBCompactLargeBlocks", 4 * kKeys, {compact, kLargeBlocks})};
}

}  // namespace bloomline::tests
