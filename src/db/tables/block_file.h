// Reads, checks and decompresses the blocks of a table's file.
#ifndef BLOOMLINE_DB_TABLES_BLOCK_FILE_H_
#define BLOOMLINE_DB_TABLES_BLOCK_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/db/tables/bytes/checksum.h"
#include "src/db/tables/bytes/decompressor.h"
#include "src/db/tables/table.h"
#include "src/support/engine.h"
#include "src/support/file_io.h"
#include "src/support/number_text.h"

namespace bloomline::tables {

// ---- The last bytes of a table: RocksDB table/format.cc, "Footer format"; LevelDB
// doc/table_format.md. Pebble's are not read.

constexpr size_t kMagicBytes = 8;
constexpr uint64_t kPebbleMagic = 0xb3aa9ff0b3aa9ff0;  // f09faab3f09faab3 in the order of the file

using support::kBlockTrailerBytes;

struct Footer {
  static constexpr size_t kMinBytes = 48;  // in LevelDB, and in RocksDB's format_version 0
  static constexpr size_t kMaxBytes = 53;

  // LevelDB's magic number, which RocksDB's format_version 0 has, too.
  bool has_leveldb_magic = false;
  int format_version = 0;
  ChecksumType checksum = ChecksumType::kCrc32c;
  uint32_t base_context_checksum = 0;  // format_version 6 and later
  BlockHandle metaindex;
  BlockHandle index;  // from format_version 6 on {0, 0}: the metaindex has it
  uint64_t offset = 0;
};

// `end` is the end of the file of file_bytes, at least kMinBytes. Returns false with *problem, a
// sentence without the file's name.
bool DecodeFooter(std::string_view end, uint64_t file_bytes, bool verify_checksum, Footer* footer,
                  std::string* problem);

// The footer of another table in the form of this one, format_version 2 or later, at `offset`. From
// format_version 6 on, the metaindex block must end there, and the index's handle is not stored.
std::string EncodeFooter(const Footer& form, uint64_t offset, const BlockHandle& metaindex,
                         const BlockHandle& index);

bool TakeBlockHandle(std::string_view* input, BlockHandle* handle);
std::string BlockHandleText(const BlockHandle& handle);  // as it is stored

// What all readers of a table share; Table::Open sets it.
struct BlockFile {
  support::InputFile file;
  Footer footer;
  CompressionRules compression;
  bool verify_checksums = true;
  mutable Memory memory;

  // Returns false, with *error: "file: data block at offset 12: problem". support::StrCat joins the
  // parts of the problem.
  template <typename... Parts>
  bool Damaged(std::string* error, const char* what, uint64_t offset,
               const Parts&... problem) const {
    return support::Refuse(error, file.name(), ": ", what, " at offset ", offset, ": ", problem...);
  }
};

// Reads one block after the other; results are valid until the next call. Not thread-safe.
class BlockReader {
 public:
  enum class Access { kSequential, kRandom };
  BlockReader(const BlockFile* file, Access access)
      : file_(file),
        access_(access),
        decompressor_(&file->compression),
        window_(&file->memory),
        decompressed_(&file->memory) {}

  // Sets the dictionary for blocks read from now on, which must be data blocks.
  void SetDictionary(std::string dictionary) { decompressor_.SetDictionary(std::move(dictionary)); }

  // Reads the last n bytes of the file at once; blocks in them then cost no other read.
  bool PrefetchTail(uint64_t n, std::string_view* tail, std::string* error);

  // `what` names the block in errors: "data block".
  bool Read(const char* what, const BlockHandle& handle, std::string_view* contents,
            std::string* error);
  // Reads without checking checksum and compression: the trailer is at stored + handle.size.
  bool ReadStored(const char* what, const BlockHandle& handle, const char** stored,
                  std::string* error);
  // The stored bytes of the block that was read last, with their trailer.
  std::string_view stored() const { return stored_; }
  bool HasRightChecksum(const char* stored, const BlockHandle& handle) const;

 private:
  // Returns the bytes from the window, which is read anew if it lacks them.
  bool Window(uint64_t offset, uint64_t n, const char** bytes, std::string* error);

  const BlockFile* const file_;
  const Access access_;
  Decompressor decompressor_;
  Buffer window_;
  uint64_t window_offset_ = 0;
  uint64_t window_size_ = 0;
  uint64_t read_ahead_ = 0;
  Buffer decompressed_;
  std::string_view stored_;
};

}  // namespace bloomline::tables

#endif  // BLOOMLINE_DB_TABLES_BLOCK_FILE_H_
