#include "src/filter/stock/bloom_bytes.h"

#include <algorithm>

#include "src/filter/bits/bytes.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/stock/local_bloom.h"
#include "src/filter/stock/readers.h"
#include "src/filter/stock/stock_size.h"

namespace bloomline::stock {
namespace {

constexpr uint64_t kLegacyBlockBits = uint64_t{8} * kernels::kBlockBytes;

struct LocalBloomInserter {
  kernels::PayloadView view;

  char* Block(uint64_t hash, char* payload) const {
    return payload + (LocalBloomBlock(view, hash) - view.data);
  }
  void Insert(uint64_t hash, char* block) const {
    const uint32_t probe_hash = LocalBloomProbeHash(hash);
    for (int j = 0; j < view.num_probes; ++j) {
      kernels::SetBit(block, LocalBloomBit(probe_hash, j));
    }
  }
};

struct LegacyInserter {
  LegacyBloomReader reader;

  char* Block(uint64_t hash, char* payload) const { return payload + reader.BlockOffset(hash); }
  void Insert(uint64_t hash, char* block) const {
    uint32_t h = static_cast<uint32_t>(hash);
    const uint32_t step = Step(h);
    for (int i = 0; i < reader.num_probes; ++i, h += step) {
      kernels::SetBit(block, h % kLegacyBlockBits);
    }
  }
};

template <typename Inserter>
void InsertAll(const Inserter& inserter, size_t n, const uint64_t* hashes, char* payload) {
  constexpr size_t kAhead = 16;
  for (size_t i = 0; i < n; ++i) {
    if (i + kAhead < n) __builtin_prefetch(inserter.Block(hashes[i + kAhead], payload), 1);
    inserter.Insert(hashes[i], inserter.Block(hashes[i], payload));
  }
}

}  // namespace

StockFilter BloomOf(uint64_t payload_bytes, int num_probes) {
  StockFilter shape;
  shape.kind = StockKind::kBloom;
  shape.payload_bytes = payload_bytes;
  shape.num_blocks = payload_bytes / kernels::kBlockBytes;
  shape.block_bytes = kernels::kBlockBytes;
  shape.num_probes = num_probes;
  return shape;
}

StockFilter BloomShape(uint64_t num_keys, double bits_per_key) {
  const int millibits = Millibits(bits_per_key);
  return BloomOf(BloomPayloadBytes(num_keys, millibits), BloomNumProbes(millibits));
}

StockFilter LegacyBloomShape(uint64_t num_keys, double bits_per_key) {
  // RocksDB before 6.6 counts bits in 32 bits, and would look for the rest of a larger filter at
  // its beginning. RocksDB's own filters have this limit for the same reason.
  constexpr uint64_t kMaxBits = 0xffff0000;
  const auto whole_bits = static_cast<uint64_t>((Millibits(bits_per_key) + 500) / 1000);
  StockFilter shape;
  shape.kind = StockKind::kLegacyBloom;
  const uint64_t bits = std::min(std::min(num_keys, kMaxBits) * whole_bits, kMaxBits);
  // Odd, so that all bits of the hash count in its remainder.
  shape.num_blocks = (bits + kLegacyBlockBits - 1) / kLegacyBlockBits | 1;
  shape.block_bytes = kernels::kBlockBytes;
  shape.payload_bytes = shape.num_blocks * shape.block_bytes;
  constexpr double kProbesPerBit = 0.69;
  shape.num_probes =
      std::clamp(static_cast<int>(static_cast<double>(whole_bits) * kProbesPerBit), 1, 30);
  return shape;
}

void AddToBloom(const StockFilter& shape, size_t n, const uint64_t* hashes, char* payload) {
  if (shape.kind == StockKind::kBloom) {
    InsertAll(LocalBloomInserter{{payload, shape.num_blocks, shape.num_probes}}, n, hashes,
              payload);
    return;
  }
  InsertAll(LegacyInserter{LegacyBloomReader(shape)}, n, hashes, payload);
}

void WriteBloomTrailer(const StockFilter& shape, char* dst) {
  std::fill_n(dst, kTrailerBytes, '\0');
  const auto num_probes = static_cast<char>(shape.num_probes);
  if (shape.kind == StockKind::kBloom) {
    dst[0] = static_cast<char>(kBloomMarker);
    dst[2] = num_probes;
    return;
  }
  dst[0] = num_probes;
  kernels::StoreLittleEndian32(static_cast<uint32_t>(shape.num_blocks), dst + 1);
}

}  // namespace bloomline::stock
