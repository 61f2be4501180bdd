#include "src/filter/layouts/leveldb_bloom/leveldb_bloom.h"

#include <algorithm>
#include <cmath>

#include "bloomline/filter_theory.h"
#include "src/filter/bits/bytes.h"
#include "src/filter/rates/rates.h"

namespace bloomline::kernels {
namespace {

inline uint32_t Delta(uint32_t hash) { return hash >> 17 | hash << 15; }

}  // namespace

bool LevelDBBloomMayMatch(const char* payload, uint64_t num_bits, int num_probes, uint32_t hash) {
  const uint32_t delta = Delta(hash);
  for (int j = 0; j < num_probes; ++j, hash += delta) {
    if (!TestBit(payload, hash % num_bits)) return false;
  }
  return true;
}

void LevelDBBloomInsert(char* payload, uint64_t num_bits, int num_probes, uint32_t hash) {
  const uint32_t delta = Delta(hash);
  for (int j = 0; j < num_probes; ++j, hash += delta) SetBit(payload, hash % num_bits);
}

}  // namespace bloomline::kernels

namespace bloomline::filter {
namespace {

int NumProbes(double bits_per_key) {
  return std::clamp(static_cast<int>(bits_per_key * 0.69), kMinProbes, kMaxProbes);
}

FilterShape Shape(const ShapeRequest& request) {
  constexpr uint64_t kMinBits = 64;
  const uint64_t num_bits =
      std::max(kMinBits,
               Saturated(std::floor(static_cast<double>(request.num_keys) * request.bits_per_key)));
  return FilterShape::Classic(CeilDiv(num_bits, 8), NumProbes(request.bits_per_key));
}

constexpr LayoutRow MakeRow() {
  LayoutRow row;
  row.layout = Layout::kClassic;
  row.name = "classic";
  row.long_name = "LevelDB Bloom";
  row.format = Format::kClassic;
  row.hash = HashFunction::kLevelDB32;
  row.leveldb_shape = Shape;
  row.num_probes = NumProbes;
  row.rate = [](const FilterShape& shape, uint64_t num_keys) {
    const uint64_t num_bits = std::min(8 * shape.payload_bytes(), uint64_t{1} << 32);  // positions
    return WithEqualHashes(ExactStandardFalsePositiveRate(num_keys, num_bits, shape.num_probes),
                           num_keys);
  };
  row.insert = [](const FilterShape& shape, const kernels::Kernel&, char* data, size_t n,
                  const uint64_t* hashes) {
    for (size_t i = 0; i < n; ++i) {
      kernels::LevelDBBloomInsert(data, shape.num_blocks * 8, shape.num_probes,
                                  static_cast<uint32_t>(hashes[i]));
    }
  };
  return row;
}

}  // namespace

constexpr LayoutRow kClassicRow = MakeRow();

}  // namespace bloomline::filter
