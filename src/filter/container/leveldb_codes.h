// The LevelDB container (docs/format.md, section 4): a filter is its payload and a code.
//
//   +----------------------------------+--------+
//   | payload                          | code   |
//   +----------------------------------+--------+
//
//   code  0x01..0x1E  classic, k = code             0xA0..0xBD  blocked, k = code - 0x9F
//         0x80..0x9D  flat, k = code - 0x7F         0xE0..0xE3  compact, one block
//         0xE4..0xFA  compact, code - 0xE2 blocks
//         0xFD        always match; all others are reserved and match every key
#ifndef BLOOMLINE_FILTER_CONTAINER_LEVELDB_CODES_H_
#define BLOOMLINE_FILTER_CONTAINER_LEVELDB_CODES_H_

#include <cstdint>
#include <string_view>

#include "src/filter/bits/filter_shape.h"
#include "src/filter/bits/hash.h"
#include "src/filter/bits/small_set_block.h"

namespace bloomline::filter {

// code = base + k.
constexpr int kFlatCodeBase = 0x7F;
constexpr int kBlockedCodeBase = 0x9F;
// Compact: one block, and the upper two bits of its attempt; or several blocks.
constexpr int kOneBlockCode = 0xE0;
constexpr int kSeveralBlocksCodeBase = 0xE2;  // code = base + number of blocks
constexpr uint32_t kAttemptsPerCode = kernels::small_set::kHeaderAttempts;
constexpr unsigned kNumOneBlockCodes = kernels::small_set::kMaxAttempts / kAttemptsPerCode;

// A filter that matches every key, payload and code.
constexpr std::string_view kLevelDBAlwaysMatch("\x00\xFD", 2);

static_assert(kMaxProbes == 0x1E);
static_assert(kFlatCodeBase + kMinProbes == 0x80 && kFlatCodeBase + kMaxProbes == 0x9D);
static_assert(kBlockedCodeBase + kMinProbes == 0xA0 && kBlockedCodeBase + kMaxProbes == 0xBD);
static_assert(kOneBlockCode + int{kNumOneBlockCodes} == kSeveralBlocksCodeBase + 2);
static_assert(kSeveralBlocksCodeBase + int{kMaxSmallSetBlocks} == 0xFA);

// Only LevelDB has classic and small-set filters; it has no compact ones.
inline char LevelDBCode(const FilterShape& shape) {
  switch (shape.layout) {
    case Layout::kClassic:
      return static_cast<char>(shape.num_probes);
    case Layout::kFlat:
      return static_cast<char>(kFlatCodeBase + shape.num_probes);
    case Layout::kBlocked:
      return static_cast<char>(kBlockedCodeBase + shape.num_probes);
    case Layout::kSmallSet:
      if (shape.num_blocks > 1) {
        return static_cast<char>(kSeveralBlocksCodeBase + static_cast<int>(shape.num_blocks));
      }
      return static_cast<char>(kOneBlockCode + static_cast<int>(shape.attempt / kAttemptsPerCode));
    default:
      break;
  }
  return kLevelDBAlwaysMatch.back();
}

// The hash that a layout stores, in 64 bits. Classic filters use another hash, which takes no seed.
inline uint64_t LayoutHash(Layout layout, std::string_view key, uint64_t seed) {
  return layout == Layout::kClassic ? LevelDBHash32(key) : Hash64(key, seed);
}
inline uint64_t LayoutHash(Layout layout, std::string_view key, const KeyHasher& hasher) {
  return layout == Layout::kClassic ? LevelDBHash32(key) : hasher(key);
}

constexpr bool IsSmallSetCode(int code) {
  return code >= kOneBlockCode && code <= kSeveralBlocksCodeBase + int{kMaxSmallSetBlocks};
}

// Whether a payload of num_bytes bytes with this code is one small set's block.
constexpr bool IsOneBlock(int code, uint64_t num_bytes) {
  return static_cast<unsigned>(code - kOneBlockCode) < kNumOneBlockCodes &&
         num_bytes - kMinSmallSetBlockBytes <= kMaxSmallSetBlockBytes - kMinSmallSetBlockBytes;
}
constexpr uint32_t FirstAttempt(int one_block_code) {
  return kAttemptsPerCode * static_cast<uint32_t>(one_block_code - kOneBlockCode);
}

// Decodes num_bytes bytes that a code of small sets follows.
inline Payload DecodeSmallSet(const char* data, uint64_t num_bytes, int code) {
  if (code < kOneBlockCode + int{kNumOneBlockCodes}) {
    if (!IsOneBlock(code, num_bytes)) return {};
    return {FilterShape::SmallSet(1, static_cast<uint32_t>(num_bytes), FirstAttempt(code)), 0,
            data};
  }
  if (num_bytes > kMaxSmallSetBlocks * kMaxSmallSetBlockBytes) return {};
  // A division of 32 bits is faster.
  const auto num_blocks = static_cast<uint32_t>(code - kSeveralBlocksCodeBase);
  const uint32_t block_bytes = static_cast<uint32_t>(num_bytes) / num_blocks;
  if (block_bytes * num_blocks != num_bytes) return {};
  if (block_bytes < kMinSmallSetBlockBytes || block_bytes > kMaxSmallSetBlockBytes) return {};
  return {FilterShape::SmallSet(num_blocks, block_bytes, 0), 0, data};
}

// Never fails: any bytes give a payload. Inline, because LevelDB decodes a filter at every query.
inline Payload DecodeLevelDB(std::string_view filter) {
  if (filter.empty()) return {FilterShape::Flat(0, kMinProbes), 0, filter.data()};
  if (filter.size() < 2) return {};
  const int code = static_cast<unsigned char>(filter.back());
  const uint64_t num_bytes = filter.size() - 1;
  const char* const data = filter.data();
  if (IsSmallSetCode(code)) return DecodeSmallSet(data, num_bytes, code);
  if (ProbesInRange(code - kFlatCodeBase)) {
    if (num_bytes > kMaxFlatBytes) return {};
    return {FilterShape::Flat(num_bytes, code - kFlatCodeBase), 0, data};
  }
  if (ProbesInRange(code)) return {FilterShape::Classic(num_bytes, code), 0, data};
  if (ProbesInRange(code - kBlockedCodeBase)) {
    if (num_bytes % kernels::kBlockBytes != 0) return {};
    return {FilterShape::Blocked(num_bytes / kernels::kBlockBytes, code - kBlockedCodeBase), 0,
            data};
  }
  return {};
}

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_CONTAINER_LEVELDB_CODES_H_
