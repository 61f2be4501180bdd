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
#include "src/filter/bits/bits.h"
#include "src/filter/bits/hash.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/layouts/leveldb_codes.h"
#include "src/filter/stock/legacy_bloom.h"
#include "src/filter/stock/readers.h"
#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/view/hash_query.h"

namespace bloomline::engine_filters {
namespace {

// LevelDB's Bloom filter (util/bloom.cc): k probes in all bits. kBothHashes: a key
// matches with the hash of today, or with that of old versions, which is RocksDB's.
template <bool kBothHashes>
struct ClassicReader {
  const char* data;
  stock::Remainder num_bits;  // > 0
  int num_probes;

  static uint64_t Hash(std::string_view key) {
    const uint64_t hash = filter::LevelDBHash32(key);
    return kBothHashes ? hash | uint64_t{stock::RocksDBHash32(key)} << 32 : hash;
  }

  void Prefetch(uint64_t hash) const {
    __builtin_prefetch(data + num_bits(static_cast<uint32_t>(hash)) / 8);
  }
  bool MayMatch(uint64_t hash) const {
    if (HashMayMatch(static_cast<uint32_t>(hash))) return true;
    return kBothHashes && HashMayMatch(static_cast<uint32_t>(hash >> 32));
  }

 private:
  bool HashMayMatch(uint32_t h) const {
    const uint32_t step = stock::Step(h);
    for (int i = 0; i < num_probes; ++i, h += step) {
      if (!kernels::TestBit(data, num_bits(h))) return false;
    }
    return true;
  }
};

constexpr std::string_view kOldBuiltinName = "leveldb.BuiltinBloomFilter";
constexpr std::string_view kCanonicalizerMark = ".canonicalizer-";
constexpr std::string_view kSeedMark = ".seed-";
constexpr size_t kCheckDigits = 32;
constexpr int kMaxClassicProbes = 30;

// What a name of the policy that bloomline::NewLevelDBFilterPolicy makes says.
struct PolicyName {
  explicit PolicyName(std::string_view name) {
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

  bool is_bloomline = false;
  bool has_seed = false;
};

// bloomline's layouts, without a seed.
struct PayloadReader {
  filter::Payload payload;
  const kernels::Kernel* kernel;

  static uint64_t Hash(std::string_view key) { return filter::Hash64(key, 0); }
  void Prefetch(uint64_t) const {}  // small
  bool MayMatch(uint64_t hash) const { return filter::HashMayMatch(payload, *kernel, hash); }
};

template <bool kBothHashes>
EngineFilter OpenClassic(FilterFacts facts) {
  const ClassicReader<kBothHashes> reader{facts.data, stock::Remainder(8 * facts.payload_bytes),
                                          facts.num_probes};
  return OpenReader(std::move(facts), stock::OneByOne(reader));
}

// Filters of the old name: their last byte is k, or a code that LevelDB reserves.
EngineFilter OpenOld(FilterFacts facts, std::string_view bytes) {
  const int code = static_cast<unsigned char>(bytes.back());
  if (code == 0) return OpenConstant(std::move(facts), Kind::kAlwaysMatch);
  facts.payload_bytes = facts.num_blocks = bytes.size() - 1;
  if (code > kMaxClassicProbes) {
    return NotUnderstood(std::move(facts), "a filter of LevelDB's kind with code " +
                                               std::to_string(code) + ", which is reserved");
  }
  facts.kind = Kind::kClassic;
  facts.num_probes = code;
  return OpenClassic<true>(std::move(facts));
}

EngineFilter OpenBloomline(const PolicyName& name, std::string_view bytes) {
  const filter::Payload payload = filter::DecodeLevelDB(bytes);
  FilterFacts facts = FactsOf(payload);
  if (payload.always_matches()) {
    facts.data = bytes.data();
    facts.payload_bytes = bytes.size();
    const unsigned char code = static_cast<unsigned char>(bytes.back());
    const bool written_so =
        bytes.size() >= 2 && (code == 0 || bytes.back() == filter::kLevelDBAlwaysMatch.back());
    if (written_so) return OpenConstant(std::move(facts), Kind::kAlwaysMatch);
    return NotUnderstood(std::move(facts), "a filter of " + std::to_string(bytes.size()) +
                                               " bytes with code " + std::to_string(code) +
                                               ", which bloomline does not write");
  }
  if (facts.kind == Kind::kClassic) return OpenClassic<false>(std::move(facts));
  if (name.has_seed) {
    return CannotQuery(std::move(facts),
                       "its hashes have a seed, which the policy's name does not tell");
  }
  return OpenReader(std::move(facts),
                    stock::OneByOne(PayloadReader{payload, &kernels::ActiveKernel()}));
}

}  // namespace

EngineFilter OpenLevelDB(std::string_view name, std::string_view bytes) {
  const PolicyName policy(name);
  const bool is_builtin = name.empty() || name == kLevelDBName;
  FilterFacts facts;
  facts.data = bytes.data();
  facts.payload_bytes = bytes.size();
  if (!is_builtin && name != kOldBuiltinName && !policy.is_bloomline) {
    return UnknownPolicy(std::move(facts), name);
  }
  // LevelDB does not query a filter of no bytes, and takes one byte for a filter of no keys;
  // bloomline under another name than LevelDB's takes it for damage.
  const size_t least = policy.is_bloomline ? 1 : 2;
  if (bytes.size() < least) return OpenConstant(std::move(facts), Kind::kNoKeys);
  if (is_builtin || policy.is_bloomline) return OpenBloomline(policy, bytes);
  return OpenOld(std::move(facts), bytes);
}

}  // namespace bloomline::engine_filters
