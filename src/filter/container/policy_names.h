// The names under which engines store filters: LevelDB uses the policy's name, RocksDB its
// CompatibilityName(). A policy with another name does not use the filter.
#ifndef BLOOMLINE_FILTER_CONTAINER_POLICY_NAMES_H_
#define BLOOMLINE_FILTER_CONTAINER_POLICY_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/filter/bits/hash.h"
#include "src/support/hex.h"

namespace bloomline::filter {

// The names of the engines' own policies, which bloomline's policies use, too. All end in a zero
// byte.
constexpr std::string_view kLevelDBName = "leveldb.BuiltinBloomFilter2";
constexpr std::string_view kOldLevelDBName = "leveldb.BuiltinBloomFilter";  // before 1.18
constexpr std::string_view kRocksDBName = "rocksdb.BuiltinBloomFilter";

// A LevelDB policy's name with a seed ends in this and the seed's check (docs/format.md, section
// 4), which distinguishes seeds without showing them.
constexpr std::string_view kSeedMark = ".seed-";
constexpr size_t kSeedCheckDigits = 32;  // two hashes in hexadecimal

inline std::string NameWithSeed(const std::string& name, uint64_t seed) {
  const auto half = [seed](std::string_view text) { return support::Hex(Hash64(text, seed)); };
  return name + std::string(kSeedMark) + half("first half of bloomline's seed check") +
         half("second half of bloomline's seed check");
}

inline bool EndsInSeedCheck(std::string_view name) {
  constexpr size_t kEndBytes = kSeedMark.size() + kSeedCheckDigits;
  return name.size() >= kEndBytes &&
         name.substr(name.size() - kEndBytes, kSeedMark.size()) == kSeedMark &&
         name.find_last_not_of(support::kHexDigits) < name.size() - kSeedCheckDigits;
}

// Precedes the name of a canonicalizer. Only canonical policies have it in their names, so no other
// policy reads their filters, which would lose its keys.
constexpr std::string_view kCanonicalizerMark = ".canonicalizer-";

inline std::string CanonicalName(const std::string& policy, const char* canonicalizer) {
  return policy + std::string(kCanonicalizerMark) + canonicalizer;
}

inline bool HasCanonicalizer(std::string_view name) {
  return name.find(kCanonicalizerMark) != name.npos;
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_CONTAINER_POLICY_NAMES_H_
