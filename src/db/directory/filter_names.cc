#include "src/db/directory/filter_names.h"

#include <string>

#include "src/db/directory/options_file.h"

namespace bloomline::directory {
namespace {

using sstable::Engine;
using sstable::FilterKind;

constexpr std::string_view kRocksDBFamily = "rocksdb.BuiltinBloomFilter";
constexpr std::string_view kLevelDBFamily = "leveldb.BuiltinBloomFilter2";
constexpr std::string_view kBloomline = "bloomline";  // bloomline's, in RocksDB

// RocksDB's own, before the ':' of their options.
constexpr std::string_view kRocksDBPolicies[] = {
    "bloomfilter",
    "rocksdb.BloomFilter",
    "ribbonfilter",
    "rocksdb.RibbonFilter",
    "rocksdb.internal.LegacyBloomFilter",
    "rocksdb.internal.FastLocalBloomFilter",
    "rocksdb.internal.Standard128RibbonFilter",
    kRocksDBFamily,
};

enum class Kind { kNone, kRocksDB, kBloomline, kOther };

Kind KindOf(std::string_view id) {
  if (id == "nullptr") return Kind::kNone;
  const std::string_view name = id.substr(0, id.find(':'));
  if (name == kBloomline) return Kind::kBloomline;
  for (const std::string_view own : kRocksDBPolicies) {
    if (name == own) return Kind::kRocksDB;
  }
  return Kind::kOther;
}

PolicyUse UseInRocksDB(std::string_view policy, const FilterBlock& block) {
  const std::string id = OptionId(policy);
  if (id.empty()) return PolicyUse::kUnknown;
  const Kind kind = KindOf(id);
  if (kind == Kind::kNone || block.kind == FilterKind::kByOffset) return PolicyUse::kIgnored;
  if (kind == Kind::kOther) return PolicyUse::kUnknown;
  if (block.name != kRocksDBFamily) return PolicyUse::kIgnored;
  // bloomline uses RocksDB's own filters, too.
  return kind == Kind::kRocksDB && block.is_bloomline ? PolicyUse::kMayMatch : PolicyUse::kUsed;
}

}  // namespace

PolicyUse UseOf(std::string_view policy, const FilterBlock& block) {
  if (block.kind == FilterKind::kNone) return PolicyUse::kIgnored;
  if (policy.empty()) return PolicyUse::kUnknown;
  if (block.engine == Engine::kRocksDB) return UseInRocksDB(policy, block);
  const std::string_view name = policy == kBloomline ? kLevelDBFamily : policy;
  if (policy == "nullptr" || block.name != name) return PolicyUse::kIgnored;
  return policy == kLevelDBFamily && block.is_bloomline ? PolicyUse::kMayMatch : PolicyUse::kUsed;
}

bool IsSharedName(Engine engine, std::string_view name) {
  return name == (engine == Engine::kRocksDB ? kRocksDBFamily : kLevelDBFamily);
}

}  // namespace bloomline::directory
