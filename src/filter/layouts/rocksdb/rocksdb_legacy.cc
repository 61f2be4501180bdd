// RocksDB's Bloom filters of format_version below 5 (stock/legacy_bloom.h).
#include <algorithm>

#include "bloomline/filter_theory.h"
#include "src/filter/bits/bytes.h"
#include "src/filter/layouts/rocksdb/insert_ahead.h"
#include "src/filter/layouts/rocksdb/rocksdb.h"
#include "src/filter/rates/rates.h"
#include "src/filter/stock/legacy_bloom.h"
#include "src/filter/stock/stock_filter.h"
#include "src/filter/stock/stock_size.h"
#include "src/support/number_text.h"

namespace bloomline::filter {
namespace {

constexpr uint64_t kBlockBits = uint64_t{8} * kernels::kBlockBytes;

FilterShape SSTableShape(const ShapeRequest& request) {
  // RocksDB before 6.6 counts bits in 32 bits, and would wrap to the beginning of a larger filter.
  // RocksDB's own filters have this limit for the same reason.
  constexpr uint64_t kMaxBits = 0xffff0000;
  const auto whole_bits =
      static_cast<uint64_t>((stock::Millibits(request.bits_per_key) + 500) / 1000);
  const uint64_t bits = std::min(std::min(request.num_keys, kMaxBits) * whole_bits, kMaxBits);
  constexpr double kProbesPerBit = 0.69;
  // Odd, so that all bits of the hash count in its remainder.
  return FilterShape::RocksDBLegacy(
      (bits + kBlockBits - 1) / kBlockBits | 1, kernels::kBlockBytes,
      std::clamp(static_cast<int>(static_cast<double>(whole_bits) * kProbesPerBit), 1, 30));
}

bool Read(std::string_view bytes, Payload* payload, std::string* why) {
  const uint64_t num_blocks = kernels::LoadLittleEndian32(bytes.data() + bytes.size() - 4);
  const uint64_t num_bytes = bytes.size() - stock::kMetadataBytes;
  int log2_block_bytes = 0;
  if (num_blocks != 0) {
    while (num_blocks << log2_block_bytes < num_bytes) ++log2_block_bytes;
  }
  if (num_blocks == 0 || num_blocks << log2_block_bytes != num_bytes) {
    return support::Refuse(why, "RocksDB legacy Bloom filter of ", num_bytes, " bytes in ",
                           num_blocks, " blocks; the size of a block is a power of two");
  }
  constexpr int kMaxLog2 = 28;  // positions of a block are 32-bit numbers
  if (log2_block_bytes > kMaxLog2) {
    return support::Refuse(why, "RocksDB legacy Bloom filter with blocks of ",
                           num_bytes / num_blocks, " bytes; known: up to 2^28");
  }
  *payload = {FilterShape::RocksDBLegacy(num_blocks, uint32_t{1} << log2_block_bytes,
                                         stock::EndByte(bytes, 0)),
              0, bytes.data()};
  return true;
}

void Insert(const FilterShape& shape, const kernels::Kernel&, char* data, size_t n,
            const uint64_t* hashes) {
  kernels::DetailedView view{ForKernel(shape, data)};
  stock::SetLegacyDetails(shape.block_bytes, &view);
  const auto block_of = [&](uint64_t hash) {
    return data + (stock::LegacyBlock(view, hash) - data);
  };
  InsertAhead(n, hashes, block_of, [&](uint64_t hash, char* block) {
    stock::LegacyProbes(view, hash, [&](uint32_t bit) {
      kernels::SetBit(block, bit);
      return true;
    });
  });
}

const kernels::DetailedView& Detailed(const kernels::PayloadView& view) {
  return static_cast<const kernels::DetailedView&>(view);
}

constexpr LayoutRow MakeRow() {
  LayoutRow row;
  row.layout = Layout::kRocksDBLegacy;
  row.name = row.long_name = "RocksDB legacy Bloom";
  row.format = Format::kBloom;
  row.hash = HashFunction::kRocksDB32;
  row.sstable_shape = SSTableShape;
  row.rate = [](const FilterShape& shape, uint64_t num_keys) {
    // Its blocks have the size of ExactBlocked's on most CPUs.
    const uint64_t num_blocks = std::max<uint64_t>(shape.payload_bytes() / kernels::kBlockBytes, 1);
    const int num_probes = std::min(shape.num_probes, kMaxProbes);
    return WithEqualHashes(ExactBlockedFalsePositiveRate(num_keys, num_blocks, num_probes),
                           num_keys);
  };
  row.min_marker = 1;
  row.max_marker = 127;
  row.read = Read;
  row.write_end = [](const Payload& payload, char* dst) {
    dst[0] = static_cast<char>(payload.num_probes);
    kernels::StoreLittleEndian32(static_cast<uint32_t>(payload.num_blocks), dst + 1);
  };
  row.open = [](const Payload& payload, const kernels::Kernel&, OpenFilter* filter) {
    stock::SetLegacyDetails(payload.block_bytes, filter);
    filter->may_match = [](const kernels::PayloadView& view, uint64_t hash) {
      return stock::LegacyMayMatch(Detailed(view), hash);
    };
    // A call for each key would take 1.12 times as long.
    filter->may_match_many = [](const kernels::PayloadView& caller_view, size_t n,
                                const uint64_t* hashes, bool* may_match) {
      const kernels::DetailedView view = Detailed(caller_view);  // the answers could alias it
      for (size_t i = 0; i < n; ++i) may_match[i] = stock::LegacyMayMatch(view, hashes[i]);
    };
  };
  row.insert = Insert;
  return row;
}

}  // namespace

constexpr LayoutRow kRocksDBLegacyRow = MakeRow();

}  // namespace bloomline::filter
