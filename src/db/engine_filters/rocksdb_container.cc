// RocksDB's full filters and partitions. Its own end in 5 bytes
// (table/block_based/filter_policy.cc), of which the first says how to read the others:
//
//   1 to 127   legacy Bloom filter, so many probes; number of blocks (4 bytes)
//   0          matches every key; or bloomline's trailer, whose magic number follows
//   -1         Bloom filter; variant 0 (1 byte), k (5 bits) and block size (3 bits, 0: 64 bytes),
//              2 bytes reserved
//   -2         Ribbon filter; seed (1 byte), number of blocks (3 bytes)
//   others     reserved
#include <cstdint>
#include <string>

#include "bloomline/filter.h"
#include "bloomline/key_canonicalizer.h"
#include "src/db/engine_filters/bloom_readers.h"
#include "src/db/engine_filters/opened_filter.h"
#include "src/filter/container/trailer.h"
#include "src/filter/cpu/little_endian.h"
#include "src/filter/layouts/hash_query.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/ranges/range_query.h"

namespace bloomline::engine_filters {
namespace {

constexpr std::string_view kRocksDBBuiltinName = "rocksdb.BuiltinBloomFilter";
constexpr size_t kEndBytes = 5;

int Byte(std::string_view bytes, size_t from_end) {
  return static_cast<unsigned char>(bytes[bytes.size() - from_end]);
}

EngineFilter OpenBloomline(std::string_view bytes) {
  const std::string_view canonicalizer = RecordedCanonicalizer(bytes);
  std::string why;
  filter::Extension fields;
  const filter::Payload payload = filter::DecodeTrailer(bytes, &why, canonicalizer, &fields);
  FilterFacts facts = FactsOf(payload);
  if (payload.always_matches()) {
    if (filter::SaysAlwaysMatch(bytes)) return OpenConstant(std::move(facts), Kind::kAlwaysMatch);
    return NotUnderstood(std::move(facts), std::move(why));
  }
  if (payload.num_blocks == 0) return OpenConstant(std::move(facts), Kind::kNoKeys);
  if (!canonicalizer.empty()) return OfCanonicalizer(std::move(facts), canonicalizer);
  RangeQuery range_query;
  filter::RangeField ranges;
  if (filter::DecodeRangeField(fields.ranges, &ranges)) {
    facts.ranges = ranges;
    range_query = [opened = filter::Opened(payload, kernels::ActiveKernel()), seed = payload.seed,
                   ranges](std::string_view begin, std::string_view end) {
      return filter::RangeMayMatch(opened, seed, ranges, begin, end);
    };
  }
  return EngineFilter(
      std::move(facts),
      [view = FilterView::Open(bytes)](size_t n, const std::string_view* keys, bool* may_match) {
        view.MayMatch(n, keys, may_match);
      },
      std::move(range_query));
}

EngineFilter OpenBloom(FilterFacts facts, std::string_view bytes) {
  const int variant = Byte(bytes, 4);
  const int num_probes = Byte(bytes, 3) & 31;
  const int log2_block_bytes = (Byte(bytes, 3) >> 5) + 6;
  const unsigned reserved = kernels::LoadLittleEndian16(bytes.data() + bytes.size() - 2);
  if (num_probes < 1 || num_probes > 30) {
    return NotUnderstood(
        std::move(facts),
        "RocksDB Bloom filter with " + std::to_string(num_probes) + " probes; known: 1 to 30");
  }
  if (variant != 0 || log2_block_bytes != 6 || reserved != 0) {
    return NotUnderstood(std::move(facts), "RocksDB Bloom filter of variant " +
                                               std::to_string(variant) + " with blocks of " +
                                               std::to_string(1 << log2_block_bytes) +
                                               " bytes and reserved bytes " +
                                               std::to_string(reserved) + "; known: 0, 64, 0");
  }
  constexpr uint64_t kBlockBytes = LocalBloomReader::kBlockBytes;
  const uint64_t num_bytes = facts.payload_bytes;
  facts.num_blocks = num_bytes / kBlockBytes;
  if (facts.num_blocks == 0) {
    return NotUnderstood(std::move(facts), "RocksDB Bloom filter of " + std::to_string(num_bytes) +
                                               " bytes; the least is a block of 64");
  }
  facts.kind = Kind::kRocksDBBloom;
  facts.num_probes = num_probes;
  facts.block_bytes = kBlockBytes;
  const LocalBloomReader reader{facts.data, static_cast<uint32_t>(facts.num_blocks), num_probes};
  return OpenReader(std::move(facts), reader);
}

EngineFilter OpenRibbon(FilterFacts facts, std::string_view bytes) {
  const auto seed = static_cast<uint8_t>(Byte(bytes, 4));
  const auto num_blocks =
      static_cast<uint32_t>(Byte(bytes, 3) | Byte(bytes, 2) << 8 | Byte(bytes, 1) << 16);
  if (num_blocks < 2) {
    return NotUnderstood(
        std::move(facts),
        "RocksDB Ribbon filter of " + std::to_string(num_blocks) + " blocks; the least is 2");
  }
  const uint64_t num_bytes = facts.payload_bytes;
  const RibbonShape shape(num_blocks, num_bytes);
  if (shape.columns == 0) {
    return NotUnderstood(std::move(facts), "RocksDB Ribbon filter of " + std::to_string(num_bytes) +
                                               " bytes; a column of a block has 16");
  }
  facts.kind = Kind::kRocksDBRibbon;
  facts.num_blocks = num_blocks;
  facts.ribbon = shape;
  const RibbonReader reader{facts.data, shape, RibbonReader::RawSeed(seed)};
  return OpenReader(std::move(facts), reader);
}

EngineFilter OpenLegacy(FilterFacts facts, std::string_view bytes, int num_probes) {
  const uint64_t num_blocks = kernels::LoadLittleEndian32(bytes.data() + bytes.size() - 4);
  const uint64_t num_bytes = facts.payload_bytes;
  int log2_block_bytes = 0;
  if (num_blocks != 0) {
    while (num_blocks << log2_block_bytes < num_bytes) ++log2_block_bytes;
  }
  if (num_blocks == 0 || num_blocks << log2_block_bytes != num_bytes) {
    return NotUnderstood(std::move(facts), "RocksDB legacy Bloom filter of " +
                                               std::to_string(num_bytes) + " bytes in " +
                                               std::to_string(num_blocks) +
                                               " blocks; the size of a block is a power of two");
  }
  constexpr int kMaxLog2 = 28;  // positions of a block are 32-bit numbers
  if (log2_block_bytes > kMaxLog2) {
    return NotUnderstood(std::move(facts), "RocksDB legacy Bloom filter with blocks of " +
                                               std::to_string(num_bytes / num_blocks) +
                                               " bytes; known: up to 2^28");
  }
  facts.kind = Kind::kRocksDBLegacy;
  facts.num_probes = num_probes;
  facts.num_blocks = num_blocks;
  facts.block_bytes = uint64_t{1} << log2_block_bytes;
  const LegacyBloomReader reader{facts.data, Remainder(num_blocks), num_probes, log2_block_bytes};
  return OpenReader(std::move(facts), reader);
}

}  // namespace

EngineFilter OpenRocksDB(std::string_view name, std::string_view bytes) {
  if (filter::HasTrailer(bytes)) return OpenBloomline(bytes);
  FilterFacts facts;
  facts.data = bytes.data();
  facts.payload_bytes = bytes.size();
  if (!name.empty() && name != kRocksDBBuiltinName) return UnknownPolicy(std::move(facts), name);
  if (bytes.size() <= kEndBytes) return OpenConstant(std::move(facts), Kind::kNoKeys);
  if (bytes.size() > UINT32_MAX) {
    return NotUnderstood(std::move(facts), "RocksDB filter of " + std::to_string(bytes.size()) +
                                               " bytes; known: up to 4 GiB");
  }
  facts.payload_bytes -= kEndBytes;
  const int byte = Byte(bytes, kEndBytes);
  const int marker = byte < 128 ? byte : byte - 256;
  switch (marker) {
    case 0:
      return OpenConstant(std::move(facts), Kind::kAlwaysMatch);
    case -1:
      return OpenBloom(std::move(facts), bytes);
    case -2:
      return OpenRibbon(std::move(facts), bytes);
  }
  if (marker < 0) {
    return NotUnderstood(std::move(facts), "RocksDB filter of kind " + std::to_string(marker) +
                                               "; known: -2 (Ribbon), -1 (Bloom), 0 to 127");
  }
  return OpenLegacy(std::move(facts), bytes, marker);
}

}  // namespace bloomline::engine_filters
