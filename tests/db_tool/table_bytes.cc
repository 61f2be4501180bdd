#include "tests/db_tool/table_bytes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace bloomline::tests {
namespace {

constexpr size_t kLevelDBFooterBytes = 48;
constexpr size_t kRocksDBFooterBytes = 53;
constexpr uint64_t kRocksDBMagic = 0x88e241b785f4cff7;
constexpr size_t kTypeAndTrailerBytes = 8;  // of an internal key: type and sequence number
// RocksDB's filters end in at most so many bytes that are no bits of the filter.
constexpr size_t kLongestTrailer = 20;

[[noreturn]] void Die(const char* what) {
  std::fprintf(stderr, "TableBytes: %s\n", what);
  std::abort();
}

// Reads at the front, and removes what it read.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool empty() const { return bytes_.empty(); }

  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= uint64_t{byte & 127u} << shift;
      if (byte < 128) return value;
    }
    ok_ = false;
    return 0;
  }
  std::string_view Bytes(uint64_t n) {
    if (n > bytes_.size()) ok_ = false;
    const std::string_view bytes = bytes_.substr(0, n);
    bytes_.remove_prefix(bytes.size());
    return bytes;
  }
  Extent Handle() {
    Extent extent;
    extent.offset = Varint();
    extent.bytes = Varint();
    return extent;
  }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

uint32_t Fixed32(std::string_view bytes, size_t at) {
  uint32_t number;
  std::memcpy(&number, bytes.data() + at, sizeof(number));
  return number;
}

uint32_t Crc32c(std::string_view bytes) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> made{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t crc = i;
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
      made[i] = crc;
    }
    return made;
  }();
  uint32_t crc = ~uint32_t{0};
  for (const char byte : bytes) {
    crc = crc >> 8 ^ table[(crc ^ static_cast<unsigned char>(byte)) & 255];
  }
  return ~crc;
}

// Of a block and the byte behind it, which says how it is compressed.
uint32_t Checksum(int type, std::string_view block_and_compression) {
  constexpr int kCrc32c = 1;
  constexpr int kXXH3 = 4;
  if (type == kCrc32c) {
    const uint32_t crc = Crc32c(block_and_compression);
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
  }
  if (type != kXXH3) Die("a checksum of another type");
  const std::string_view block = block_and_compression.substr(0, block_and_compression.size() - 1);
  const auto last = static_cast<unsigned char>(block_and_compression.back());
  return static_cast<uint32_t>(XXH3_64bits(block.data(), block.size())) ^ last * 0x6b9083d9u;
}

// The entries of a block in which no key shares bytes with the one before it.
std::vector<std::pair<std::string_view, Extent>> EntriesOf(std::string_view block,
                                                           bool values_have_length) {
  const size_t num_restarts = Fixed32(block, block.size() - 4);
  Reader reader(block.substr(0, block.size() - 4 - 4 * num_restarts));
  std::vector<std::pair<std::string_view, Extent>> entries;
  while (!reader.empty()) {
    if (reader.Varint() != 0) Die("a key that shares bytes");
    const uint64_t key_bytes = reader.Varint();
    const uint64_t value_bytes = values_have_length ? reader.Varint() : 0;
    const std::string_view key = reader.Bytes(key_bytes);
    Extent handle;
    if (values_have_length) {
      Reader value(reader.Bytes(value_bytes));
      handle = value.Handle();  // of the properties and the like, too; any value but theirs
    } else {
      handle = reader.Handle();
    }
    if (!reader.ok()) Die("a damaged block");
    entries.emplace_back(key, handle);
  }
  return entries;
}

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

}  // namespace

TableBytes::TableBytes(std::string bytes) : bytes_(std::move(bytes)) {
  const std::string_view all = bytes_;
  if (all.size() < kRocksDBFooterBytes) Die("no table");
  uint64_t magic;
  std::memcpy(&magic, all.data() + all.size() - sizeof(magic), sizeof(magic));
  const bool is_rocksdb = magic == kRocksDBMagic;
  std::string_view footer =
      all.substr(all.size() - (is_rocksdb ? kRocksDBFooterBytes : kLevelDBFooterBytes));
  if (is_rocksdb) {
    checksum_type_ = footer[0];
    footer.remove_prefix(1);
  }
  const Extent metaindex = Reader(footer).Handle();
  for (const auto& [key, block] :
       EntriesOf(all.substr(metaindex.offset, metaindex.bytes), /*values_have_length=*/true)) {
    if (StartsWith(key, "filter.")) FindLevelDBFilters(block);
    if (StartsWith(key, "fullfilter.")) FindRocksDBFilter(block);
    if (!StartsWith(key, "partitionedfilter.")) continue;
    for (const auto& [last_key, partition] :
         EntriesOf(all.substr(block.offset, block.bytes), /*values_have_length=*/false)) {
      FindRocksDBFilter(partition);
    }
  }
}

void TableBytes::FindLevelDBFilters(Extent block) {
  blocks_.push_back(block);
  const std::string_view filters = std::string_view(bytes_).substr(block.offset, block.bytes);
  const size_t offsets = Fixed32(filters, filters.size() - 5);
  for (size_t at = offsets; at + 9 <= filters.size(); at += 4) {
    const size_t start = Fixed32(filters, at);
    const size_t end = Fixed32(filters, at + 4);
    if (end - start > 1) filters_.push_back({block.offset + start, end - start - 1});
  }
}

void TableBytes::FindRocksDBFilter(Extent block) {
  blocks_.push_back(block);
  if (block.bytes > kLongestTrailer) {
    filters_.push_back({block.offset, block.bytes - kLongestTrailer});
  }
}

void TableBytes::UpdateChecksums() {
  for (const Extent& block : blocks_) {
    const std::string_view checked = std::string_view(bytes_).substr(block.offset, block.bytes + 1);
    const uint32_t checksum = Checksum(checksum_type_, checked);
    std::memcpy(bytes_.data() + block.offset + block.bytes + 1, &checksum, sizeof(checksum));
  }
}

bool TableBytes::BlockHasKey(size_t offset, std::string_view user_key) const {
  if (offset >= bytes_.size()) return false;
  Reader reader(std::string_view(bytes_).substr(offset));
  std::string key;
  // Behind the last entry are bytes that look like none, or like one of another key.
  for (int i = 0; i < 10000; ++i) {
    const uint64_t shared = reader.Varint();
    const uint64_t unshared = reader.Varint();
    const uint64_t value_bytes = reader.Varint();
    if (!reader.ok() || shared > key.size()) return false;
    key.resize(shared);
    key += reader.Bytes(unshared);
    reader.Bytes(value_bytes);
    if (!reader.ok() || key.size() < kTypeAndTrailerBytes) return false;
    if (std::string_view(key).substr(0, key.size() - kTypeAndTrailerBytes) == user_key) return true;
  }
  return false;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

void WriteFile(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) Die("a file cannot be written");
}

}  // namespace bloomline::tests
