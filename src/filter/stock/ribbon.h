// Queries of RocksDB's Standard128Ribbon (util/ribbon_impl.h, ribbon_alg.h): Dillinger and Walzer,
// "Ribbon filter", 2021.
//
// The payload is the solution of a linear system, as a table with 128 rows per block. A block is a
// sequence of columns of 128 bits each, all rows of the block. Blocks below upper_start have one
// column less than the others:
//
//   +-----------------------------+-----+----------------------------------+-----
//   | block 0: column 0, column 1 | ... | upper_start: column 0, 1, 2      | ...
//   +-----------------------------+-----+----------------------------------+-----
//
// A key selects 128 consecutive rows from its start on and some of them by its coefficients. It
// matches if in each column the parity of the selected bits is a bit of its fingerprint.
#ifndef BLOOMLINE_FILTER_STOCK_RIBBON_H_
#define BLOOMLINE_FILTER_STOCK_RIBBON_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bloomline/inline_query.h"  // PayloadView
#include "src/filter/bits/bytes.h"
#include "src/filter/bits/probe_sequence.h"

namespace bloomline::stock {

struct RibbonShape {
  static constexpr uint32_t kRowsPerBlock = 128;
  static constexpr uint32_t kSegmentBytes = 16;  // a column of a block
  static constexpr uint32_t kMaxColumns = 32;

  RibbonShape() = default;
  // num_blocks: 2 to 2^24 - 1; payload_bytes < 2^32.
  RibbonShape(uint32_t num_blocks, uint64_t payload_bytes)
      : num_starts((num_blocks - 1) * kRowsPerBlock + 1) {
    const auto segments = static_cast<uint32_t>(payload_bytes / kSegmentBytes);
    columns = (segments + num_blocks - 1) / num_blocks;
    upper_start = columns * num_blocks - segments;
    if (columns > kMaxColumns) {
      columns = kMaxColumns;
      upper_start = 0;
    }
  }

  // Whether prefetching pays.
  bool is_large() const {
    return uint64_t{num_starts} / kRowsPerBlock * columns * kSegmentBytes > kernels::kCachedBytes;
  }

  uint32_t num_starts = 0;
  uint32_t columns = 0;      // of the blocks from upper_start on
  uint32_t upper_start = 0;  // blocks below have one column less; the last block has all
};

struct RibbonView {
  // The builder tries seeds until the system has a solution, and stores the number of the last.
  static uint64_t RawSeed(uint8_t seed) {
    uint64_t mixed = seed * uint64_t{0xc78219a23eeadd03};
    mixed ^= (mixed & 0xf0f0f0f0f0f0f0f0) >> 4;
    return static_cast<uint32_t>(mixed);
  }

  BLOOMLINE_ALWAYS_INLINE RibbonView(const char* bytes, const RibbonShape& of, uint64_t seed)
      : data(bytes), shape(of), raw_seed(seed) {}
  // A DetailedView with these fields: the same as of other layouts, so that a query calls one
  // function for all.
  BLOOMLINE_ALWAYS_INLINE explicit RibbonView(const kernels::PayloadView& payload) {
    const auto& view = static_cast<const kernels::DetailedView&>(payload);
    data = view.data;
    shape.num_starts = static_cast<uint32_t>(view.num_blocks);
    shape.columns = static_cast<uint32_t>(view.num_probes);
    shape.upper_start = view.detail;
    raw_seed = view.wide_detail;
  }
  operator kernels::DetailedView() const {
    return {{data, shape.num_starts, static_cast<int>(shape.columns)}, shape.upper_start, raw_seed};
  }

  const char* data;
  RibbonShape shape;
  uint64_t raw_seed;
};

// The selection of a key.
struct RibbonKey {
  RibbonKey() = default;
  // shape_columns: those of the filter's shape, which a kernel may know when it is compiled.
  BLOOMLINE_ALWAYS_INLINE RibbonKey(const RibbonView& filter, uint32_t shape_columns,
                                    uint64_t hash) {
    const RibbonShape& shape = filter.shape;
    const uint64_t seeded = Seeded(hash, filter.raw_seed);
    const uint32_t start = Start(seeded, shape.num_starts);
    const uint32_t block = start / RibbonShape::kRowsPerBlock;
    // Which blocks are below upper_start cannot be foreseen, and compilers make branches of most
    // conditions, but not of these.
    const uint64_t segment = uint64_t{block} * shape_columns - std::min(block, shape.upper_start);
    first_row = start % RibbonShape::kRowsPerBlock;
    columns = shape_columns - static_cast<uint32_t>(block < shape.upper_start);
    here = filter.data + segment * RibbonShape::kSegmentBytes;
    next = first_row == 0 ? here : here + uint64_t{columns} * RibbonShape::kSegmentBytes;
    mixed = Mixed(seeded);
  }

  // Prefetches the same number of lines for each key, because the number of its lines cannot be
  // foreseen. A prefetch beyond the filter is harmless.
  BLOOMLINE_ALWAYS_INLINE void Prefetch(uint32_t shape_columns) const {
    const uint32_t num_bytes = 2 * shape_columns * RibbonShape::kSegmentBytes;
    for (uint32_t i = 0; i < num_bytes; i += kernels::kBlockBytes) __builtin_prefetch(here + i);
    __builtin_prefetch(here + num_bytes - 1);
  }

  // The seeded hash chooses the start by its high bits. Mixed, it is 64 of the coefficients and the
  // fingerprint.
  BLOOMLINE_ALWAYS_INLINE static uint64_t Seeded(uint64_t hash, uint64_t raw_seed) {
    return (hash ^ raw_seed) * kSeedFactor;
  }
  BLOOMLINE_ALWAYS_INLINE static uint32_t Start(uint64_t seeded, uint32_t num_starts) {
    return static_cast<uint32_t>(kernels::ScaledTo(num_starts, seeded));
  }
  BLOOMLINE_ALWAYS_INLINE static uint64_t Mixed(uint64_t seeded) { return seeded * kMixFactor; }
  BLOOMLINE_ALWAYS_INLINE static uint32_t Fingerprint(uint64_t mixed) {
    return static_cast<uint32_t>(__builtin_bswap64(mixed));
  }
  static constexpr uint64_t kSeedFactor = 0x6193d459236a3a0d;
  static constexpr uint64_t kMixFactor = 0xc28f82822b650bed;

  // The first 64 of 128 coefficients; `mixed` has the others.
  static constexpr uint64_t kLowCoefficients = 0xc367844a6e52731d;  // XORed with `mixed`
  static constexpr uint64_t kFirstCoefficient = 1;                  // is always set

  BLOOMLINE_ALWAYS_INLINE uint32_t fingerprint() const { return Fingerprint(mixed); }

  // The first column of the first row's block, and that of the next block. All columns of the shape
  // may be read from both: a block that has one less is followed by another, and the last block has
  // all. Without rows in the next block, which may not exist, both are the first.
  const char* here;
  const char* next;
  uint32_t first_row;  // 0 to 127
  uint32_t columns;    // of both blocks; the next may have one more
  uint64_t mixed;
};

struct RibbonKernel {
  using MayMatch = bool (*)(const kernels::PayloadView& filter, uint64_t hash);

  // Only for filters with this shape.columns.
  MayMatch (*may_match_for)(uint32_t columns) = nullptr;
  // Prefetches what the keys of a batch need.
  void (*may_match_many)(const kernels::PayloadView& filter, size_t n, const uint64_t* hashes,
                         bool* may_match) = nullptr;
};

RibbonKernel PortableRibbon();
RibbonKernel Avx2Ribbon();    // x86-64
RibbonKernel Avx512Ribbon();  // x86-64

}  // namespace bloomline::stock

#endif  // BLOOMLINE_FILTER_STOCK_RIBBON_H_
