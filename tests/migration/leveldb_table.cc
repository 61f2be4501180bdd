#include "tests/migration/leveldb_table.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string_view>

#include "bloomline/leveldb.h"

namespace bloomline::tests {
namespace {

constexpr size_t kFooterBytes = 48;
constexpr int kMaxStockCode = 30;  // LevelDB's k

bool TakeVarint(std::string_view* bytes, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && !bytes->empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes->front());
    bytes->remove_prefix(1);
    *value |= uint64_t{byte & 127u} << shift;
    if (byte < 128) return true;
  }
  return false;
}

bool TakeBlock(std::string_view table, std::string_view* handle, std::string_view* block) {
  uint64_t offset;
  uint64_t size;
  if (!TakeVarint(handle, &offset) || !TakeVarint(handle, &size)) return false;
  if (offset > table.size() || size > table.size() - offset) return false;
  *block = table.substr(offset, size);
  return true;
}

uint32_t Number(std::string_view bytes, size_t at) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) {
    number |= uint32_t{static_cast<unsigned char>(bytes[at + i])} << 8 * i;
  }
  return number;
}

// The filters, an offset for each, the offset of these, one byte.
std::string KindsOf(std::string_view block) {
  bool stock = false;
  bool ours = false;
  if (block.size() < 5 || Number(block, block.size() - 5) > block.size() - 5) return "unreadable";
  const size_t offsets = Number(block, block.size() - 5);
  for (size_t at = offsets; at + 9 <= block.size(); at += 4) {
    const size_t start = Number(block, at);
    const size_t end = Number(block, at + 4);
    if (start > end || end > offsets) return "unreadable";
    if (start == end) continue;
    (static_cast<unsigned char>(block[end - 1]) <= kMaxStockCode ? stock : ours) = true;
  }
  return stock && ours ? "both" : stock ? "stock" : ours ? "bloomline" : "no filters";
}

}  // namespace

std::string LevelDBFiltersOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string_view table = bytes;
  if (table.size() < kFooterBytes) return "unreadable";
  std::string_view footer = table.substr(table.size() - kFooterBytes);
  std::string_view metaindex;
  if (!TakeBlock(table, &footer, &metaindex)) return "unreadable";
  // At most one entry: LevelDB has no other meta blocks. A block without entries has 8 bytes.
  if (metaindex.size() <= 8) return "none";
  uint64_t shared;
  uint64_t key_bytes;
  uint64_t value_bytes;
  if (!TakeVarint(&metaindex, &shared) || !TakeVarint(&metaindex, &key_bytes) ||
      !TakeVarint(&metaindex, &value_bytes) || key_bytes > metaindex.size()) {
    return "unreadable";
  }
  constexpr std::string_view kPrefix = "filter.";
  const std::string_view key = metaindex.substr(0, key_bytes);
  if (key.substr(0, kPrefix.size()) != kPrefix) return "unreadable";
  metaindex.remove_prefix(key_bytes);
  std::string_view filters;
  if (!TakeBlock(table, &metaindex, &filters)) return "unreadable";
  const std::string name(key.substr(kPrefix.size()));
  return (name == kLevelDBBuiltinName ? "" : name + ": ") + KindsOf(filters);
}

}  // namespace bloomline::tests
