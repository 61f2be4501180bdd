// LevelDB's filters, one for each range of 2 KiB of data. The last byte is k, at most 30;
// bloomline's codes (docs/format.md, section 4) are above.
//
// LevelDB stores the policy's name once for all filters of a table. Names that are known:
//   leveldb.BuiltinBloomFilter2  LevelDB since 1.18, and bloomline
//   leveldb.BuiltinBloomFilter   LevelDB before 1.18, whose hash takes bytes as signed; goleveldb,
//                                whose hash does not. A key matches if one of its hashes does.
//   *bloomline*, *.seed-<32 hex digits>    bloomline, but for *.canonicalizer-*: it holds no keys
#include <cstdint>
#include <string>
#include <string_view>

#include "src/db/engine_filters/opened_filter.h"
#include "src/filter/bits/hash.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/layouts/leveldb_codes.h"
#include "src/filter/stock/readers.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/view/hash_query.h"

namespace bloomline::engine_filters {
namespace {

constexpr std::string_view kOldBuiltinName = "leveldb.BuiltinBloomFilter";
constexpr std::string_view kCanonicalizerMark = ".canonicalizer-";
constexpr std::string_view kSeedMark = ".seed-";
constexpr size_t kCheckDigits = 32;

// Read from the name of a policy.
struct PolicyName {
  explicit PolicyName(std::string_view name) {
    is_old = name == kOldBuiltinName;
    constexpr size_t kSeedBytes = kSeedMark.size() + kCheckDigits;
    if (name.size() >= kSeedBytes &&
        name.substr(name.size() - kSeedBytes, kSeedMark.size()) == kSeedMark &&
        name.find_last_not_of("0123456789abcdef") == name.size() - kCheckDigits - 1) {
      has_seed = true;
      name.remove_suffix(kSeedBytes);
    }
    is_bloomline = name.find(kCanonicalizerMark) == name.npos &&
                   (has_seed || name.find("bloomline") != name.npos);
  }

  bool is_old = false;
  bool is_bloomline = false;
  bool has_seed = false;
};

// LevelDB's own layout, and bloomline's without a seed.
struct PayloadReader {
  filter::Payload payload;
  const kernels::Kernel* kernel;

  uint64_t Hash(std::string_view key) const { return filter::LayoutHash(payload.layout, key, 0); }
  void Prefetch(uint64_t) const {}  // small
  bool MayMatch(uint64_t hash) const { return filter::HashMayMatch(payload, *kernel, hash); }
};

// Filters of the old name.
struct OldReader : PayloadReader {
  static uint64_t Hash(std::string_view key) {
    return filter::LevelDBHash32(key) | uint64_t{filter::RocksDBHash32(key)} << 32;
  }
  bool MayMatch(uint64_t hashes) const {
    return PayloadReader::MayMatch(static_cast<uint32_t>(hashes)) ||
           PayloadReader::MayMatch(hashes >> 32);
  }
};

EngineFilter OpenPayload(const PolicyName& name, std::string_view bytes) {
  const filter::Payload payload = filter::DecodeLevelDB(bytes);
  const int code = static_cast<unsigned char>(bytes.back());
  FilterFacts facts = FactsOf(payload);
  if (payload.always_matches() || (name.is_old && code > kMaxProbes)) {
    facts.data = bytes.data();
    facts.payload_bytes = bytes.size();
    if (code == 0 || (!name.is_old && bytes.back() == filter::kLevelDBAlwaysMatch.back())) {
      return OpenConstant(std::move(facts), Kind::kAlwaysMatch);
    }
    return NotUnderstood(
        std::move(facts),
        "a filter of " + std::to_string(bytes.size()) + " bytes with code " + std::to_string(code) +
            (name.is_old ? ", which is reserved" : ", which bloomline does not write"));
  }
  const PayloadReader reader{payload, &kernels::ActiveKernel()};
  if (name.is_old) return OpenReader(std::move(facts), stock::OneByOne(OldReader{reader}));
  if (name.has_seed && facts.kind != Kind::kClassic) {
    return CannotQuery(std::move(facts),
                       "its hashes have a seed, which the policy's name does not tell");
  }
  return OpenReader(std::move(facts), stock::OneByOne(reader));
}

}  // namespace

EngineFilter OpenLevelDB(std::string_view name, std::string_view bytes) {
  const PolicyName policy(name);
  FilterFacts facts;
  facts.data = bytes.data();
  facts.payload_bytes = bytes.size();
  if (!name.empty() && name != kLevelDBName && !policy.is_old && !policy.is_bloomline) {
    return UnknownPolicy(std::move(facts), name);
  }
  // LevelDB does not query a filter without bytes, and takes one byte for a filter without keys;
  // bloomline under another name than LevelDB's takes it for damage.
  const size_t least = policy.is_bloomline ? 1 : 2;
  if (bytes.size() < least) return OpenConstant(std::move(facts), Kind::kNoKeys);
  return OpenPayload(policy, bytes);
}

}  // namespace bloomline::engine_filters
