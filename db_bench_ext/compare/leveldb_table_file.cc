#include "db_bench_ext/compare/leveldb_table_file.h"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace bloomline::bench {
namespace {

constexpr size_t kFooterBytes = 48;
constexpr uint64_t kTableMagic = 0xdb4775248b80fb57;
constexpr std::string_view kFilterPrefix = "filter.";

struct BadTable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string_view Part(std::string_view bytes, uint64_t offset, uint64_t length) {
  if (offset > bytes.size() || length > bytes.size() - offset) throw BadTable("truncated");
  return bytes.substr(offset, length);
}

uint64_t Fixed(std::string_view bytes, uint64_t offset, int num_bytes) {
  const std::string_view part = Part(bytes, offset, static_cast<uint64_t>(num_bytes));
  uint64_t value = 0;
  for (int i = num_bytes - 1; i >= 0; --i)
    value = value << 8 | static_cast<uint8_t>(part[static_cast<size_t>(i)]);
  return value;
}

uint64_t TakeVarint(std::string_view* bytes) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<uint8_t>(Part(*bytes, 0, 1)[0]);
    bytes->remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  throw BadTable("bad varint");
}

std::string_view TakeBlock(std::string_view file, std::string_view* handle) {
  const uint64_t offset = TakeVarint(handle);
  const uint64_t length = TakeVarint(handle);
  if (Part(file, offset + length, 1)[0] != 0) throw BadTable("compressed block");
  return Part(file, offset, length);
}

// The filter block; empty if there is none. The metaindex has the format of every block:
// prefix-compressed entries, then the restart array and its length.
std::string_view FindFilterBlock(std::string_view file, std::string_view metaindex) {
  if (metaindex.size() < 4) throw BadTable("metaindex too short");
  const uint64_t num_restarts = Fixed(metaindex, metaindex.size() - 4, 4);
  if (num_restarts > metaindex.size() / 4 - 1) throw BadTable("bad restart array");
  std::string_view entries = metaindex.substr(0, metaindex.size() - 4 - 4 * num_restarts);
  std::string key;
  while (!entries.empty()) {
    const uint64_t shared = TakeVarint(&entries);
    const uint64_t unshared = TakeVarint(&entries);
    const uint64_t value_length = TakeVarint(&entries);
    if (shared > key.size()) throw BadTable("bad shared length");
    key.resize(shared);
    key.append(Part(entries, 0, unshared));
    std::string_view value = Part(entries, unshared, value_length);
    if (key.compare(0, kFilterPrefix.size(), kFilterPrefix) == 0) return TakeBlock(file, &value);
    entries.remove_prefix(unshared + value_length);
  }
  return {};
}

FilterSummary Summarize(std::string_view block) {
  if (block.size() < 5) throw BadTable("filter block too short");
  const uint64_t array_offset = Fixed(block, block.size() - 5, 4);
  FilterSummary summary;
  summary.block_bytes = block.size();
  summary.filter_bytes = array_offset;
  // What follows the last entry, the array's own offset, is the end of the last filter. There is
  // one entry per 2 KiB of file, so with data blocks of 4 KiB every second filter is empty.
  for (uint64_t at = array_offset; at + 5 < block.size(); at += 4) {
    if (Fixed(block, at + 4, 4) > Fixed(block, at, 4)) ++summary.num_filters;
  }
  return summary;
}

}  // namespace

FilterSummary ReadLevelDBFilters(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string file((std::istreambuf_iterator<char>(stream)),
                         std::istreambuf_iterator<char>());
  try {
    if (file.size() < kFooterBytes || Fixed(file, file.size() - 8, 8) != kTableMagic)
      throw BadTable("no LevelDB table");
    std::string_view footer = Part(file, file.size() - kFooterBytes, kFooterBytes);
    const std::string_view block = FindFilterBlock(file, TakeBlock(file, &footer));
    return block.empty() ? FilterSummary() : Summarize(block);
  } catch (const BadTable& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
}

}  // namespace bloomline::bench
