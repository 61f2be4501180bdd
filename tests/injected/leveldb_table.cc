#include "tests/injected/leveldb_table.h"

#include <fstream>
#include <iterator>
#include <string_view>

namespace bloomline::tests {
namespace {

constexpr size_t kFooterBytes = 48;

bool TakeVarint(std::string_view* bytes, uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && !bytes->empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes->front());
    bytes->remove_prefix(1);
    *value |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

}  // namespace

// The footer begins with the position of the metaindex. The only entry there has the number of
// shared key bytes (0), the key's length, the value's length, the key "filter.NAME", and as value
// the filter's position.
bool FindLevelDBFilterBlock(const std::string& path, uint64_t* first, uint64_t* last) {
  std::ifstream in(path, std::ios::binary);
  const std::string table{std::istreambuf_iterator<char>(in), {}};
  if (table.size() < kFooterBytes) return false;
  std::string_view footer = std::string_view(table).substr(table.size() - kFooterBytes);
  uint64_t offset;
  uint64_t size;
  if (!TakeVarint(&footer, &offset) || !TakeVarint(&footer, &size)) return false;
  if (offset > table.size() || size > table.size() - offset) return false;
  std::string_view entry = std::string_view(table).substr(offset, size);
  uint64_t shared;
  uint64_t key_bytes;
  uint64_t value_bytes;
  if (!TakeVarint(&entry, &shared) || !TakeVarint(&entry, &key_bytes) ||
      !TakeVarint(&entry, &value_bytes) || key_bytes > entry.size()) {
    return false;
  }
  if (shared != 0 || entry.substr(0, 7) != "filter.") return false;
  entry.remove_prefix(key_bytes);
  if (!TakeVarint(&entry, first) || !TakeVarint(&entry, &size)) return false;
  *last = *first + size;
  return *last <= table.size();
}

}  // namespace bloomline::tests
