// Decompresses blocks: RocksDB util/compression.cc, LevelDB table/format.cc. CMake finds the
// libraries; for a block of another compression, the error names that compression.
#ifndef BLOOMLINE_DB_TABLES_BYTES_DECOMPRESSOR_H_
#define BLOOMLINE_DB_TABLES_BYTES_DECOMPRESSOR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "src/db/tables/bytes/memory.h"
#include "src/support/engine.h"

namespace bloomline::tables {

using support::Engine;

// A larger block is an error. Engines write blocks of kilobytes, and larger ones only for a larger
// value; without a limit, 32 KiB of zstd could claim a gigabyte.
constexpr uint64_t kMaxDecompressedBytes = uint64_t{1} << 30;

// The compression type in the byte behind a block, by RocksDB's numbers.
enum class Compression : uint8_t {
  kNone = 0,
  kSnappy = 1,
  kZlib = 2,
  kLz4 = 4,
  kLz4Hc = 5,
  kZstd = 7,
  kZstdNotFinal = 64,
};

// The meaning of a type byte depends on the writer of the table.
struct CompressionRules {
  Engine engine = Engine::kRocksDB;
  int format_version = 0;
  // The compressor of a table of format_version 7; RocksDB itself is "BuiltinV2".
  std::string manager;
};

// Not thread-safe: it keeps zstd's state between blocks.
class Decompressor {
 public:
  explicit Decompressor(const CompressionRules* rules) : rules_(rules) {}

  // Sets the dictionary for all blocks from now on; empty: none.
  void SetDictionary(std::string dictionary);

  // *contents points into *out. Returns false with *problem, a part of a sentence: "has ...".
  bool Decompress(uint8_t type, std::string_view stored, Buffer* out, std::string_view* contents,
                  std::string* problem);

 private:
  // Reads zlib's data (LevelDB's type 2) or raw deflate (4), which do not record their size.
  static bool Inflate(uint8_t type, std::string_view stored, Buffer* out,
                      std::string_view* contents, std::string* problem);
  bool TakeSize(const char* codec, Compression type, std::string_view* stored, uint64_t* size,
                std::string* problem) const;
  // Decompresses to `size` bytes. Returns false if the data is damaged.
  bool Fill(Compression type, std::string_view stored, uint64_t size, char* out);

  const CompressionRules* const rules_;
  std::string dictionary_;
  std::shared_ptr<void> zstd_;
};

}  // namespace bloomline::tables

#endif  // BLOOMLINE_DB_TABLES_BYTES_DECOMPRESSOR_H_
