// RocksDB's block-based Bloom filters, up to RocksDB 6.29: one for each range of 2 KiB of data,
// with the bits of LevelDB's and the hash of RocksDB's legacy filters. bloomline does not write
// them, and they are queried by the code at their end (leveldb_codes.h).
#include "src/filter/layouts/rocksdb/rocksdb.h"

namespace bloomline::filter {
namespace {

constexpr LayoutRow MakeRow() {
  LayoutRow row;
  row.layout = Layout::kRocksDBBlockBased;
  row.name = row.long_name = "block-based";
  row.hash = HashFunction::kRocksDB32;
  return row;
}

}  // namespace

constexpr LayoutRow kRocksDBBlockBasedRow = MakeRow();

}  // namespace bloomline::filter
