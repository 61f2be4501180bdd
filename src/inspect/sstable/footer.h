// The last bytes of a table: RocksDB table/format.cc, "Footer format"; LevelDB doc/table_format.md.
#ifndef BLOOMLINE_INSPECT_SSTABLE_FOOTER_H_
#define BLOOMLINE_INSPECT_SSTABLE_FOOTER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/inspect/sstable/bytes/checksum.h"
#include "src/inspect/sstable/table.h"

namespace bloomline::sstable {

// Behind each block: its compression type and its checksum.
constexpr uint64_t kBlockTrailerBytes = 5;

struct Footer {
  static constexpr uint64_t kMinBytes = 48;  // LevelDB's, and RocksDB's format_version 0
  static constexpr uint64_t kMaxBytes = 53;

  // LevelDB's magic number, which RocksDB's format_version 0 has, too.
  bool has_leveldb_magic = false;
  int format_version = 0;
  ChecksumType checksum = ChecksumType::kCrc32c;
  uint32_t base_context_checksum = 0;  // format_version 6 and later
  BlockHandle metaindex;
  BlockHandle index;  // from format_version 6 on {0, 0}: the metaindex has it
  uint64_t offset = 0;
};

// `end` is the end of the file of file_bytes, at least kMinBytes. False with *problem, a sentence
// without the file's name.
bool DecodeFooter(std::string_view end, uint64_t file_bytes, bool verify_checksum, Footer* footer,
                  std::string* problem);

bool TakeBlockHandle(std::string_view* input, BlockHandle* handle);

}  // namespace bloomline::sstable

#endif  // BLOOMLINE_INSPECT_SSTABLE_FOOTER_H_
