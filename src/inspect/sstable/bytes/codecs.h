// One function for each compression library. All: false, with *problem ("has damaged snappy data",
// "is compressed with snappy, and this program was built without it").
#ifndef BLOOMLINE_INSPECT_SSTABLE_BYTES_CODECS_H_
#define BLOOMLINE_INSPECT_SSTABLE_BYTES_CODECS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/inspect/sstable/bytes/buffer.h"

namespace bloomline::sstable {

// The size is in the data.
bool SnappySize(std::string_view stored, uint64_t* size, std::string* problem);

// Exactly `size` bytes into out, which has room for them.
bool SnappyDecompress(std::string_view stored, uint64_t size, char* out, std::string* problem);
bool Lz4Decompress(std::string_view stored, std::string_view dictionary, uint64_t size, char* out,
                   std::string* problem);

// size 0: unknown, as in RocksDB's format_version 0 and 1; the buffer grows up to max_size.
// Otherwise exactly that.
bool ZlibDecompress(std::string_view stored, std::string_view dictionary, uint64_t size,
                    uint64_t max_size, Buffer* out, uint64_t* decompressed, std::string* problem);
bool Bzip2Decompress(std::string_view stored, uint64_t size, uint64_t max_size, Buffer* out,
                     uint64_t* decompressed, std::string* problem);

// zstd: contexts cost more to make than a block takes.
class ZstdContext {
 public:
  ZstdContext() = default;
  ~ZstdContext();
  ZstdContext(const ZstdContext&) = delete;
  ZstdContext& operator=(const ZstdContext&) = delete;

  // The size that the frame claims to have: LevelDB writes no other.
  static bool Size(std::string_view stored, uint64_t* size, std::string* problem);
  // The dictionary must stay the same from call to call.
  bool Decompress(std::string_view stored, std::string_view dictionary, uint64_t size, char* out,
                  std::string* problem);

 private:
  void* context_ = nullptr;
  void* dictionary_ = nullptr;
};

}  // namespace bloomline::sstable

#endif  // BLOOMLINE_INSPECT_SSTABLE_BYTES_CODECS_H_
