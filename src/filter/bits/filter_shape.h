// The bytes of a filter without its container: the layouts of docs/format.md, section 3. The
// containers are in trailer.h and leveldb_codes.h.
#ifndef BLOOMLINE_FILTER_BITS_FILTER_SHAPE_H_
#define BLOOMLINE_FILTER_BITS_FILTER_SHAPE_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "bloomline/filter_options.h"
#include "src/filter/bits/probe_sequence.h"

namespace bloomline::filter {

// The numbers are the `layout` field of the trailer, and never get a second meaning.
// table/layout_table.h says what a new layout needs.
enum class Layout : uint8_t {
  kAlwaysMatch = 0,
  kBlocked = 1,
  kFlat = 2,
  kFormerCompact = 3,  // written before 0.4.0; matches every key
  kRibbon = 4,
  // Never in a trailer: what other bytes can mean,
  kUnknown = 0xF0,  // not understood: must match every key
  kNoKeys = 0xF1,   // matches none
  // RocksDB's own filters,
  kRocksDBBloom = 0xF2,       // FastLocalBloom, from 6.6 on with format_version 5
  kRocksDBLegacy = 0xF3,      // Bloom, format_version below 5
  kRocksDBRibbon = 0xF4,      // Standard128Ribbon
  kRocksDBBlockBased = 0xF5,  // up to RocksDB 6.29, in LevelDB's container
  // and those that only LevelDB has.
  kClassic = 0xFE,
  kSmallSet = 0xFF
};

// Limits of small sets. Their codes in LevelDB have room for no more blocks.
constexpr uint32_t kMinSmallSetBlockBytes = 8;
constexpr uint32_t kMaxSmallSetBlockBytes = kernels::kBlockBytes;
constexpr uint32_t kMaxSmallSetBlocks = 24;

// The field of the extension that has row_blocks of kRibbon (docs/format.md, section 5).
constexpr uint64_t kRowsFieldBytes = 5;

// A flat filter has fewer than 2^32 bits.
constexpr uint64_t kMaxFlatBytes = UINT32_MAX / 8;

inline bool ProbesInRange(int num_probes) {
  return num_probes >= kMinProbes && num_probes <= kMaxProbes;
}

// The size and the parameters of a payload. A query reads one block. All queries share the bits of
// a flat or classic filter, whose blocks are single bytes. A filter without keys has 0 blocks.
//
// The order of the fields matters: DecodeLevelDB stores num_probes and row_blocks at once, and
// block_bytes beside them would make a query wait for both stores (2.8 ns of 17).
struct FilterShape {
  Layout layout = Layout::kAlwaysMatch;
  uint32_t block_bytes = 1;
  uint64_t num_blocks = 0;
  int num_probes = 0;       // k; 0 in layouts that are not Bloom filters
  uint32_t row_blocks = 0;  // kRibbon, kRocksDBRibbon: blocks of 128 rows
  // kRibbon: the seed's number. kSmallSet: the part of the attempt's number outside headers.
  uint32_t attempt = 0;

  constexpr uint64_t payload_bytes() const { return num_blocks * block_bytes; }
  // The field `parameter` of the trailer.
  constexpr uint32_t parameter() const {
    return layout == Layout::kRibbon ? attempt : static_cast<uint32_t>(num_probes);
  }
  constexpr bool always_matches() const {
    return layout == Layout::kAlwaysMatch || layout == Layout::kUnknown || is_former_compact();
  }
  constexpr bool is_former_compact() const { return layout == Layout::kFormerCompact; }
  constexpr bool is_unknown() const { return layout == Layout::kUnknown; }
  constexpr bool has_no_keys() const { return layout == Layout::kNoKeys; }
  // All bits of a key lie in one block.
  constexpr bool has_blocks() const { return block_bytes > 1; }

  static constexpr FilterShape Unknown() { return {Layout::kUnknown}; }
  static constexpr FilterShape NoKeys() { return {Layout::kNoKeys}; }
  static constexpr FilterShape Classic(uint64_t num_bytes, int num_probes) {
    return {Layout::kClassic, 1, num_bytes, num_probes};
  }
  static constexpr FilterShape Flat(uint64_t num_bytes, int num_probes) {
    return {Layout::kFlat, 1, num_bytes, num_probes};
  }
  static constexpr FilterShape Blocked(uint64_t num_blocks, int num_probes) {
    return {Layout::kBlocked, kernels::kBlockBytes, num_blocks, num_probes};
  }
  static constexpr FilterShape RocksDBBloom(uint64_t num_blocks, int num_probes) {
    return {Layout::kRocksDBBloom, kernels::kBlockBytes, num_blocks, num_probes};
  }
  static constexpr FilterShape RocksDBLegacy(uint64_t num_blocks, uint32_t block_bytes,
                                             int num_probes) {
    return {Layout::kRocksDBLegacy, block_bytes, num_blocks, num_probes};
  }
  // In segments of 16 bytes: a column of 128 rows.
  static constexpr FilterShape RocksDBRibbon(uint64_t num_segments, uint32_t row_blocks) {
    return {Layout::kRocksDBRibbon, 16, num_segments, 0, row_blocks};
  }
  static constexpr FilterShape Ribbon(uint64_t num_segments, uint32_t row_blocks) {
    return {Layout::kRibbon, 16, num_segments, 0, row_blocks};
  }
  static constexpr FilterShape SmallSet(uint64_t num_blocks, uint32_t block_bytes,
                                        uint32_t attempt) {
    return {Layout::kSmallSet, block_bytes, num_blocks, 0, 0, attempt};
  }
};

// The result of a decoder. Always safe to query: data[0 .. payload_bytes()) exists, and the fields
// are within the limits of the layout.
struct Payload : FilterShape {
  uint64_t seed = 0;
  const char* data = nullptr;
};

// The form that kernels take; for insertions, `data` is writable memory. num_blocks > 0.
inline kernels::PayloadView ForKernel(const FilterShape& shape, const char* data) {
  return {data, shape.num_blocks, shape.num_probes};
}

// ---- The inputs of a filter's size, and arithmetic for them that saturates instead of wrapping.

// num_keys counts duplicates. The keys' bits also pay for extension and trailer, end_bytes. The
// payload is at most max_payload_bytes, rounded down to blocks.
struct ShapeRequest {
  uint64_t num_keys;
  double bits_per_key;
  uint64_t end_bytes = 0;
  uint64_t max_payload_bytes = UINT64_MAX;
  // Only for RocksDB's Ribbon filters: the upper half of the first key's hash rounds the size.
  uint32_t chance = UINT32_MAX / 2;
};

// A double holds n * bits_per_key exactly up to 2^53.
inline uint64_t Saturated(double number) {
  constexpr double kMax = 9223372036854775808.0;  // 2^63
  return static_cast<uint64_t>(std::min(kMax, number));
}

constexpr uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// Bytes that hold the keys' bits, rounded up, without end_bytes.
inline uint64_t WholeBytes(const ShapeRequest& request) {
  return Saturated(std::ceil(static_cast<double>(request.num_keys) * request.bits_per_key / 8));
}

// Whole blocks that hold the keys' bits less end_bytes: at least one, at most max_payload_bytes.
inline uint64_t WholeBlocks(const ShapeRequest& request, uint64_t block_bytes) {
  const double bytes = static_cast<double>(request.num_keys) * request.bits_per_key / 8 -
                       static_cast<double>(request.end_bytes);
  const double blocks = std::max(1.0, std::ceil(bytes / static_cast<double>(block_bytes)));
  const uint64_t max_blocks = std::max<uint64_t>(1, request.max_payload_bytes / block_bytes);
  return blocks >= static_cast<double>(max_blocks) ? max_blocks : static_cast<uint64_t>(blocks);
}

// The number of probes with the lowest false-positive rate. Entry k-1 of `more_probes_from` is the
// bits per key from which on k+1 probes have a lower rate than k. A table, because a builder is
// made for every SSTable, and computing k from the rate takes 0.1 ms. sizing_test checks each
// entry.
template <size_t N>
int NumProbesFrom(const double (&more_probes_from)[N], double bits_per_key) {
  // A binary search takes longer: bits per key hardly change, so these branches are predicted.
  int num_probes = 1;
  for (const double from : more_probes_from) {
    if (bits_per_key < from) break;
    ++num_probes;
  }
  return num_probes;
}

// ---- Bytes on disk never change their meaning.

static_assert(kMinProbes == 1 && kMaxProbes == 30);
static_assert(std::size(kernels::kWideProbeMultipliers) == kMaxProbes &&
                  kernels::kProbeMultipliers[kMaxProbes - 1] != 0 &&
                  kernels::kProbeMultipliers[kMaxProbes] == 0,
              "every probe has a multiplier");
static_assert(kernels::kBlockBytes == 64);
static_assert(8 * (kMaxFlatBytes + 1) == uint64_t{1} << 32);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_BITS_FILTER_SHAPE_H_
