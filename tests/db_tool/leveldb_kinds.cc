#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bloomline/leveldb.h"
#include "tests/db_tool/kinds.h"

namespace bloomline::tests {
namespace {

using Policy = std::shared_ptr<const leveldb::FilterPolicy>;

void Check(const leveldb::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "LevelDB: %s\n", status.ToString().c_str());
  std::abort();
}

struct Setting {
  Policy policy;
  size_t block_bytes = 4096;
  leveldb::CompressionType compression = leveldb::kNoCompression;
};

std::unique_ptr<leveldb::DB> Open(const Setting& setting, const std::string& folder) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.filter_policy = setting.policy.get();
  options.block_size = setting.block_bytes;
  options.compression = setting.compression;
  leveldb::DB* db = nullptr;
  Check(leveldb::DB::Open(options, folder, &db));
  return std::unique_ptr<leveldb::DB>(db);
}

void Write(const Setting& setting, const std::string& folder, const Keys& keys) {
  const auto db = Open(setting, folder);
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
  const auto db = Open(setting, folder);
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
  Kind kind;
  kind.name = std::move(name);
  kind.num_keys = num_keys;
  kind.write = [setting](const std::string& folder, const Keys& keys) {
    Write(setting, folder, keys);
  };
  kind.lost = [setting](const std::string& folder, const Keys& keys) {
    return Lost(setting, folder, keys);
  };
  kind.is_compressed = setting.compression != leveldb::kNoCompression;
  return kind;
}

Policy Bloomline(Format format) {
  FilterOptions options;
  options.format = format;
  return Policy(NewLevelDBFilterPolicy(options));
}

}  // namespace

std::vector<Kind> LevelDBKinds() {
  constexpr int kKeys = 4000;
  constexpr size_t kLargeBlocks = 32768;  // more than 500 keys: blocked, not flat
  const std::vector<std::pair<std::string, Policy>> policies = {
      {"LevelDBStock", Policy(leveldb::NewBloomFilterPolicy(10))},
      {"LevelDBClassic", Bloomline(Format::kClassic)},
      {"LevelDBBlocked", Bloomline(Format::kBlocked)},
      {"LevelDBCompact", Bloomline(Format::kCompact)}};
  std::vector<Kind> kinds;
  for (const auto& [name, policy] : policies) {
    Setting setting;
    setting.policy = policy;
    kinds.push_back(MakeKind(name, kKeys, setting));
    setting.compression = leveldb::kSnappyCompression;
    kinds.push_back(MakeKind(name + "Snappy", kKeys, setting));
    setting.block_bytes = kLargeBlocks;
    setting.compression = leveldb::kNoCompression;
    kinds.push_back(MakeKind(name + "LargeBlocks", 4 * kKeys, setting));
  }
  return kinds;
}

}  // namespace bloomline::tests
