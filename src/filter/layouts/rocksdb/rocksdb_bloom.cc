// RocksDB's Bloom filters of format_version 5 and later (stock/local_bloom.h).
#include <algorithm>

#include "bloomline/filter_theory.h"
#include "src/filter/bits/bytes.h"
#include "src/filter/kernel/kernel.h"
#include "src/filter/layouts/rocksdb/insert_ahead.h"
#include "src/filter/layouts/rocksdb/rocksdb.h"
#include "src/filter/stock/local_bloom.h"
#include "src/filter/stock/stock_filter.h"
#include "src/filter/stock/stock_size.h"
#include "src/support/number_text.h"

namespace bloomline::filter {
namespace {

FilterShape SSTableShape(const ShapeRequest& request) {
  const int millibits = stock::Millibits(request.bits_per_key);
  return FilterShape::RocksDBBloom(
      stock::BloomPayloadBytes(request.num_keys, millibits) / kernels::kBlockBytes,
      stock::BloomNumProbes(millibits));
}

bool Read(std::string_view bytes, Payload* payload, std::string* why) {
  const int variant = stock::EndByte(bytes, 1);
  const int num_probes = stock::EndByte(bytes, 2) & 31;
  const int log2_block_bytes = (stock::EndByte(bytes, 2) >> 5) + 6;
  const unsigned reserved = kernels::LoadLittleEndian16(bytes.data() + bytes.size() - 2);
  if (num_probes < 1 || num_probes > stock::kMaxLocalBloomProbes) {
    return support::Refuse(why, "RocksDB Bloom filter with ", num_probes, " probes; known: 1 to ",
                           stock::kMaxLocalBloomProbes);
  }
  if (variant != 0 || log2_block_bytes != 6 || reserved != 0) {
    return support::Refuse(why, "RocksDB Bloom filter of variant ", variant, " with blocks of ",
                           1 << log2_block_bytes, " bytes and reserved bytes ", reserved,
                           "; known: 0, 64, 0");
  }
  const uint64_t num_bytes = bytes.size() - stock::kMetadataBytes;
  if (num_bytes < kernels::kBlockBytes) {
    return support::Refuse(why, "RocksDB Bloom filter of ", num_bytes,
                           " bytes; the least is a block of 64");
  }
  *payload = {FilterShape::RocksDBBloom(num_bytes / kernels::kBlockBytes, num_probes), 0,
              bytes.data()};
  return true;
}

void Insert(const FilterShape& shape, const kernels::Kernel&, char* data, size_t n,
            const uint64_t* hashes) {
  const kernels::PayloadView view = ForKernel(shape, data);
  const auto block_of = [&](uint64_t hash) {
    return data + (stock::LocalBloomBlock(view, hash) - data);
  };
  InsertAhead(n, hashes, block_of, [&](uint64_t hash, char* block) {
    const uint32_t probe_hash = stock::LocalBloomProbeHash(hash);
    for (int j = 0; j < view.num_probes; ++j) {
      kernels::SetBit(block, stock::LocalBloomBit(probe_hash, j));
    }
  });
}

constexpr LayoutRow MakeRow() {
  LayoutRow row;
  row.layout = Layout::kRocksDBBloom;
  row.name = row.long_name = "RocksDB Bloom";
  row.format = Format::kBloom;
  row.hash = HashFunction::kRocksDB64;
  row.sstable_shape = SSTableShape;
  row.num_probes = [](double bits_per_key) {
    return stock::BloomNumProbes(stock::Millibits(bits_per_key));
  };
  row.rate = [](const FilterShape& shape, uint64_t num_keys) {
    return ExactBlockedFalsePositiveRate(num_keys, shape.num_blocks, shape.num_probes);
  };
  row.min_marker = row.max_marker = stock::kBloomMarker;
  row.read = Read;
  row.write_end = [](const Payload& payload, char* dst) {
    std::fill_n(dst, stock::kMetadataBytes, '\0');
    dst[0] = static_cast<char>(stock::kBloomMarker);
    dst[2] = static_cast<char>(payload.num_probes);
  };
  row.open = [](const Payload& payload, const kernels::Kernel& kernel, OpenFilter* filter) {
    filter->may_match = kernel.stock.local_bloom.may_match_for(payload.num_probes);
    filter->may_match_many = kernel.stock.local_bloom.may_match_many;
  };
  row.insert = Insert;
  return row;
}

}  // namespace

constexpr LayoutRow kRocksDBBloomRow = MakeRow();

}  // namespace bloomline::filter
