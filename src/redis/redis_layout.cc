#include "src/redis/redis_layout.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "bloomline/filter_theory.h"
#include "src/filter/rates/rates.h"
#include "src/support/hex.h"
#include "src/support/number_text.h"

namespace bloomline::redis {
namespace {

constexpr std::string_view kHeaderStart = "bloomline-shared-bloom version=1";

// Returns NaN if no number of bits is enough.
double BitsPerKey(double rate, uint32_t block_bytes, int num_probes) {
  const uint32_t bits = 8 * block_bytes;
  return filter::LeastBitsPerKey(
      kMinBitsPerKey, kMaxBitsPerKey, filter::kPrecision, [&](double bits_per_key) {
        return filter::BlockFalsePositiveRate(bits_per_key, num_probes, bits, bits - 1) <= rate;
      });
}

struct BlockChoice {
  uint32_t block_bytes;
  int num_probes;
  double bits_per_key;
};

// Chooses the smallest block, and then the fewest probes, that need at most 3 % more bits than a
// standard Bloom filter: a query transfers a block, and the cost of an addition grows with its
// probes. If nothing meets the 3 %, it chooses the fewest bits.
BlockChoice ChooseBlock(double rate) {
  constexpr double kMaxOverhead = 1.03;
  const double standard = StandardBitsPerKeyForFalsePositiveRate(rate);
  const double standard_probes = -std::log2(rate);
  const int least_probes = std::max(kMinProbes, static_cast<int>(0.6 * standard_probes));
  const int most_probes = std::min(kMaxProbes, static_cast<int>(standard_probes) + 1);
  BlockChoice best = {0, 0, kMaxBitsPerKey};
  for (uint32_t block_bytes = kMinBlockBytes; block_bytes <= kMaxBlockBytes; block_bytes *= 2) {
    for (int k = least_probes; k <= most_probes; ++k) {
      const double bits = BitsPerKey(rate, block_bytes, k);
      if (bits < best.bits_per_key) best = {block_bytes, k, bits};
      if (bits <= kMaxOverhead * standard) return {block_bytes, k, bits};
    }
  }
  return best;
}

// The form of "%.15g" in the "C" locale. A stream that ran out of memory would omit the number.
std::string FormatDouble(double number) {
  char text[32];
  constexpr int kDigits = 15;
  const auto format = std::chars_format::general;
  return std::string(text, std::to_chars(text, text + sizeof(text), number, format, kDigits).ptr);
}

// Removes `name`, which ends in '=', and its value from the front of the text.
template <typename T>
bool TakeField(std::string_view name, std::string_view* text, T* number, int base = 10) {
  if (text->substr(0, name.size()) != name) return false;
  text->remove_prefix(name.size());
  const std::string_view value = text->substr(0, text->find(' '));
  text->remove_prefix(value.size());
  if constexpr (std::is_same_v<T, double>) {
    return support::ParseDouble(value, number);
  } else {
    const char* const end = value.data() + value.size();
    const auto [stop, status] = std::from_chars(value.data(), end, *number, base);
    return status == std::errc() && stop == end;
  }
}

bool InRange(const RedisLayout& layout) {
  const uint32_t block = layout.block_bytes;
  return block >= kMinBlockBytes && block <= kMaxBlockBytes && (block & (block - 1)) == 0 &&
         layout.num_probes >= kMinProbes && layout.num_probes <= kMaxProbes &&
         layout.blocks_per_shard >= 1 &&
         layout.blocks_per_shard <= (kMaxShardBytes - kHeaderBytes) / block &&
         layout.num_shards >= 1 && layout.num_shards <= kMaxShards;
}

// CRC-16/XMODEM, polynomial 0x1021. Bit by bit is enough: a slot is computed once per shard.
uint16_t Crc16(std::string_view bytes) {
  unsigned crc = 0;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned>(static_cast<unsigned char>(byte)) << 8;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x8000) != 0 ? crc << 1 ^ 0x1021 : crc << 1;
    }
    crc &= 0xFFFF;
  }
  return static_cast<uint16_t>(crc);
}

}  // namespace

RedisLayout PlanLayout(const SharedBloomFilterOptions& options) {
  const BlockChoice choice = ChooseBlock(options.false_positive_rate);
  const double bits = std::ceil(static_cast<double>(options.capacity) * choice.bits_per_key);
  const uint64_t num_blocks = static_cast<uint64_t>(std::ceil(bits / (8.0 * choice.block_bytes)));
  const uint64_t most_blocks = (options.shard_bytes - kHeaderBytes) / choice.block_bytes;
  RedisLayout layout;
  layout.capacity = options.capacity;
  layout.false_positive_rate = options.false_positive_rate;
  layout.seed = options.seed;
  layout.block_bytes = choice.block_bytes;
  layout.num_probes = choice.num_probes;
  // All shards have the same size.
  const uint64_t num_shards = (num_blocks + most_blocks - 1) / most_blocks;
  layout.num_shards = static_cast<uint32_t>(std::min<uint64_t>(num_shards, kMaxShards + 1));
  layout.blocks_per_shard = (num_blocks + num_shards - 1) / num_shards;
  return layout;
}

std::string EncodeHeader(const RedisLayout& layout) {
  std::string header = std::string(kHeaderStart) + " capacity=" + std::to_string(layout.capacity) +
                       " false_positive_rate=" + FormatDouble(layout.false_positive_rate) +
                       " seed=" + std::to_string(layout.seed) +
                       " block_bytes=" + std::to_string(layout.block_bytes) +
                       " num_probes=" + std::to_string(layout.num_probes) +
                       " blocks_per_shard=" + std::to_string(layout.blocks_per_shard) +
                       " num_shards=" + std::to_string(layout.num_shards) +
                       " id=" + support::Hex(layout.id);
  header.resize(kHeaderBytes, ' ');
  return header;
}

bool DecodeHeader(std::string_view bytes, RedisLayout* layout) {
  if (bytes.substr(0, kHeaderStart.size()) != kHeaderStart) return false;
  std::string_view rest = bytes.substr(kHeaderStart.size());
  return TakeField(" capacity=", &rest, &layout->capacity) &&
         TakeField(" false_positive_rate=", &rest, &layout->false_positive_rate) &&
         TakeField(" seed=", &rest, &layout->seed) &&
         TakeField(" block_bytes=", &rest, &layout->block_bytes) &&
         TakeField(" num_probes=", &rest, &layout->num_probes) &&
         TakeField(" blocks_per_shard=", &rest, &layout->blocks_per_shard) &&
         TakeField(" num_shards=", &rest, &layout->num_shards) &&
         TakeField(" id=", &rest, &layout->id, 16) && InRange(*layout) &&
         // Clients compare headers as bytes, so no two spellings may mean the same.
         EncodeHeader(*layout) == bytes;
}

bool SameParameters(const RedisLayout& a, const RedisLayout& b) {
  return a.capacity == b.capacity && a.seed == b.seed &&
         FormatDouble(a.false_positive_rate) == FormatDouble(b.false_positive_rate);
}

std::string ValidateName(std::string_view name) {
  const bool has_bad_byte = std::any_of(name.begin(), name.end(), [](char c) {
    const unsigned char byte = static_cast<unsigned char>(c);
    return byte <= ' ' || byte == 0x7F || c == '{' || c == '}';
  });
  if (!name.empty() && name.size() <= 200 && !has_bad_byte) return "";
  return "the filter's name is '" + std::string(name.substr(0, 200)) + "' (" +
         std::to_string(name.size()) +
         " bytes); allowed: 1 to 200 bytes, no spaces, control characters, '{' or '}'";
}

std::string EntryKey(std::string_view name) { return "bloomline:{" + std::string(name) + "}"; }

std::string ShardKey(std::string_view name, uint64_t id, uint32_t shard) {
  return "bloomline:shard:{" + std::string(name) + ":" + support::Hex(id) + ":" +
         std::to_string(shard) + "}";
}

uint16_t KeySlot(std::string_view key) {
  const size_t tag = key.find('{') + 1;
  return Crc16(key.substr(tag, key.find('}') - tag)) % kNumSlots;
}

}  // namespace bloomline::redis
