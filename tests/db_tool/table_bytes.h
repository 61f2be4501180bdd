// The bytes of a table file: where its filters lie, to damage them, and which entries it has.
// Shares no code with what is tested.
#ifndef BLOOMLINE_TESTS_DB_TOOL_TABLE_BYTES_H_
#define BLOOMLINE_TESTS_DB_TOOL_TABLE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bloomline::tests {

// A part of a file.
struct Extent {
  size_t offset = 0;
  size_t bytes = 0;
};

// A table of LevelDB, or one of RocksDB with format_version 5 or less and one entry for each
// restart of the index. Aborts on anything else: tests write their tables themselves.
class TableBytes {
 public:
  explicit TableBytes(std::string bytes);

  const std::string& bytes() const { return bytes_; }
  // The bits of each filter: without its trailer or code, and none that has no bits.
  const std::vector<Extent>& filters() const { return filters_; }

  void FlipBit(size_t offset, int bit) { bytes_[offset] ^= static_cast<char>(1 << bit); }
  // Makes the checksums of the blocks that hold filters right again.
  void UpdateChecksums();

  // Whether the data block at `offset` has an entry of this key. The block is not compressed.
  bool BlockHasKey(size_t offset, std::string_view user_key) const;

 private:
  void FindLevelDBFilters(Extent block);
  void FindRocksDBFilter(Extent block);

  std::string bytes_;
  int checksum_type_ = 1;  // CRC-32C
  std::vector<Extent> blocks_;
  std::vector<Extent> filters_;
};

std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, std::string_view bytes);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_DB_TOOL_TABLE_BYTES_H_
