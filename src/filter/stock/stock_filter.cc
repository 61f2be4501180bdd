#include "src/filter/stock/stock_filter.h"

#include "src/filter/bits/bytes.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/stock/local_bloom.h"
#include "src/support/number_text.h"

namespace bloomline::stock {
namespace {

int Byte(std::string_view bytes, size_t from_end) {
  return static_cast<unsigned char>(bytes[bytes.size() - from_end]);
}

// These read the trailer into a filter whose payload is known. They return false and set the reason
// if the trailer makes no sense.

bool DecodeBloom(std::string_view bytes, StockFilter* filter, std::string* why) {
  const int variant = Byte(bytes, 4);
  const int num_probes = Byte(bytes, 3) & 31;
  const int log2_block_bytes = (Byte(bytes, 3) >> 5) + 6;
  const unsigned reserved = kernels::LoadLittleEndian16(bytes.data() + bytes.size() - 2);
  if (num_probes < 1 || num_probes > kMaxLocalBloomProbes) {
    return support::Refuse(why, "RocksDB Bloom filter with ", num_probes, " probes; known: 1 to ",
                           kMaxLocalBloomProbes);
  }
  if (variant != 0 || log2_block_bytes != 6 || reserved != 0) {
    return support::Refuse(why, "RocksDB Bloom filter of variant ", variant, " with blocks of ",
                           1 << log2_block_bytes, " bytes and reserved bytes ", reserved,
                           "; known: 0, 64, 0");
  }
  const uint64_t num_bytes = filter->payload_bytes;
  filter->num_blocks = num_bytes / kernels::kBlockBytes;
  if (filter->num_blocks == 0) {
    return support::Refuse(why, "RocksDB Bloom filter of ", num_bytes,
                           " bytes; the least is a block of 64");
  }
  filter->kind = StockKind::kBloom;
  filter->num_probes = num_probes;
  filter->block_bytes = kernels::kBlockBytes;
  return true;
}

bool DecodeRibbon(std::string_view bytes, StockFilter* filter, std::string* why) {
  const auto num_blocks =
      static_cast<uint32_t>(Byte(bytes, 3) | Byte(bytes, 2) << 8 | Byte(bytes, 1) << 16);
  if (num_blocks < 2) {
    return support::Refuse(why, "RocksDB Ribbon filter of ", num_blocks, " blocks; the least is 2");
  }
  const uint64_t num_bytes = filter->payload_bytes;
  const RibbonShape shape(num_blocks, num_bytes);
  if (shape.columns == 0) {
    return support::Refuse(why, "RocksDB Ribbon filter of ", num_bytes,
                           " bytes; a column of a block has 16");
  }
  filter->kind = StockKind::kRibbon;
  filter->num_blocks = num_blocks;
  filter->ribbon = shape;
  filter->ribbon_seed = static_cast<uint8_t>(Byte(bytes, 4));
  return true;
}

bool DecodeLegacy(std::string_view bytes, int num_probes, StockFilter* filter, std::string* why) {
  const uint64_t num_blocks = kernels::LoadLittleEndian32(bytes.data() + bytes.size() - 4);
  const uint64_t num_bytes = filter->payload_bytes;
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
  filter->kind = StockKind::kLegacyBloom;
  filter->num_probes = num_probes;
  filter->num_blocks = num_blocks;
  filter->block_bytes = uint64_t{1} << log2_block_bytes;
  return true;
}

bool Decode(std::string_view bytes, StockFilter* filter, std::string* why) {
  if (bytes.size() <= kTrailerBytes) {
    filter->kind = StockKind::kNoKeys;
    return true;
  }
  if (bytes.size() > UINT32_MAX) {
    return support::Refuse(why, "RocksDB filter of ", bytes.size(), " bytes; known: up to 4 GiB");
  }
  filter->payload_bytes -= kTrailerBytes;
  const int marker = static_cast<int8_t>(Byte(bytes, kTrailerBytes));
  if (marker == kBloomMarker) return DecodeBloom(bytes, filter, why);
  if (marker == kRibbonMarker) return DecodeRibbon(bytes, filter, why);
  if (marker > 0) return DecodeLegacy(bytes, marker, filter, why);
  if (marker < 0) {
    return support::Refuse(why, "RocksDB filter of kind ", marker,
                           "; known: -2 (Ribbon), -1 (Bloom), 0 to 127");
  }
  filter->kind = StockKind::kAlwaysMatch;
  return true;
}

}  // namespace

const char* StockKindName(StockKind kind) {
  switch (kind) {
    case StockKind::kUnknown:
      break;
    case StockKind::kAlwaysMatch:
      return "matches every key";
    case StockKind::kNoKeys:
      return "no keys";
    case StockKind::kBloom:
      return "RocksDB Bloom";
    case StockKind::kLegacyBloom:
      return "RocksDB legacy Bloom";
    case StockKind::kRibbon:
      return "RocksDB Ribbon";
  }
  return "unknown";
}

StockFilter DecodeStockFilter(std::string_view bytes, std::string* why) {
  StockFilter filter;
  filter.data = bytes.data();
  filter.payload_bytes = bytes.size();
  Decode(bytes, &filter, why);
  return filter;
}

}  // namespace bloomline::stock
