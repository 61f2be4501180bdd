#include "src/rocksdb/bits_reader.h"

#include <algorithm>

#include "src/rocksdb/slice_view.h"

namespace bloomline {

bool RocksDBBitsReader::MayMatch(const ROCKSDB_NAMESPACE::Slice& entry) {
  return view_.MayMatch(View(entry));
}

void RocksDBBitsReader::MayMatch(int num_keys, ROCKSDB_NAMESPACE::Slice** keys, bool* may_match) {
  constexpr int kGroup = 32;  // RocksDB's MultiGet batch
  std::string_view views[kGroup];
  for (int start = 0; start < num_keys; start += kGroup) {
    const int count = std::min(kGroup, num_keys - start);
    for (int i = 0; i < count; ++i) views[i] = View(*keys[start + i]);
    view_.MayMatch(static_cast<size_t>(count), views, may_match + start);
  }
}

}  // namespace bloomline
