// RocksDB's Ribbon filters (stock/ribbon.h).
#include "src/filter/kernel/kernel.h"
#include "src/filter/layouts/ribbon/ribbon_solution.h"
#include "src/filter/layouts/rocksdb/rocksdb.h"
#include "src/filter/stock/ribbon.h"
#include "src/filter/stock/ribbon_size.h"
#include "src/filter/stock/stock_filter.h"
#include "src/support/number_text.h"

namespace bloomline::filter {
namespace {

// RocksDB's Bloom filter for few keys, if that is smaller, and for very many.
FilterShape SSTableShape(const ShapeRequest& request) {
  const stock::RibbonSize size =
      stock::RibbonSizeOf(request.num_keys, request.bits_per_key, request.chance);
  if (size.num_rows == 0) return kRocksDBBloomRow.sstable_shape(request);
  return FilterShape::RocksDBRibbon(size.payload_bytes / stock::RibbonShape::kSegmentBytes,
                                    size.num_rows / stock::RibbonShape::kRowsPerBlock);
}

bool Read(std::string_view bytes, Payload* payload, std::string* why) {
  const auto num_blocks = static_cast<uint32_t>(
      stock::EndByte(bytes, 2) | stock::EndByte(bytes, 3) << 8 | stock::EndByte(bytes, 4) << 16);
  if (num_blocks < 2) {
    return support::Refuse(why, "RocksDB Ribbon filter of ", num_blocks, " blocks; the least is 2");
  }
  const uint64_t num_bytes = bytes.size() - stock::kMetadataBytes;
  if (num_bytes < stock::RibbonShape::kSegmentBytes) {
    return support::Refuse(why, "RocksDB Ribbon filter of ", num_bytes,
                           " bytes; a column of a block has 16");
  }
  *payload = {FilterShape::RocksDBRibbon(num_bytes / stock::RibbonShape::kSegmentBytes, num_blocks),
              static_cast<uint64_t>(stock::EndByte(bytes, 1)), bytes.data()};
  return true;
}

// If no seed has a solution, RocksDB writes a Bloom filter.
std::unique_ptr<Solution> Solve(HashList* hashes, uint64_t first_hash, const ShapeRequest& request,
                                const kernels::Kernel& kernel, FilterShape* shape) {
  auto solution = std::make_unique<RibbonSolution>(kernel, *shape);
  constexpr uint32_t kAllSeeds = 256;
  if (!solution->Solve(hashes, static_cast<uint8_t>(first_hash), kAllSeeds)) {
    *shape = kRocksDBBloomRow.sstable_shape(request);
    solution->set_fallback(kRocksDBBloomRow);
  }
  return solution;
}

constexpr LayoutRow MakeRow() {
  LayoutRow row;
  row.layout = Layout::kRocksDBRibbon;
  row.name = row.long_name = "RocksDB Ribbon";
  row.format = Format::kRibbon;
  row.hash = HashFunction::kRocksDB64;
  row.sstable_shape = SSTableShape;
  row.rate = RibbonRate;
  row.min_marker = row.max_marker = stock::kRibbonMarker;
  row.read = Read;
  row.write_end = [](const Payload& payload, char* dst) {
    dst[0] = static_cast<char>(stock::kRibbonMarker);
    dst[1] = static_cast<char>(payload.seed);
    for (int i = 0; i < 3; ++i) dst[2 + i] = static_cast<char>(payload.row_blocks >> 8 * i);
  };
  row.open = [](const Payload& payload, const kernels::Kernel& kernel, OpenFilter* filter) {
    OpenRibbon(payload, payload.seed, kernel, filter);
  };
  row.solve = Solve;
  return row;
}

}  // namespace

constexpr LayoutRow kRocksDBRibbonRow = MakeRow();

}  // namespace bloomline::filter
