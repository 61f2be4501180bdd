#include <algorithm>
#include <climits>
#include <cstring>

#include "src/inspect/sstable/bytes/decompressor.h"

#ifdef BLOOMLINE_SNAPPY
#include <snappy-c.h>
#endif
#ifdef BLOOMLINE_LZ4
#include <lz4.h>
#endif
#ifdef BLOOMLINE_ZLIB
#include <zlib.h>
#endif
#ifdef BLOOMLINE_BZIP2
#include <bzlib.h>
#endif
#ifdef BLOOMLINE_ZSTD
#include <zstd.h>
#endif

namespace bloomline::sstable {
namespace {

[[maybe_unused]] bool BuiltWithout(const char* library, std::string* problem) {
  *problem =
      std::string("is compressed with ") + library + ", and this program was built without it";
  return false;
}

[[maybe_unused]] bool Damaged(const char* library, std::string* problem) {
  *problem = std::string("has damaged ") + library + " data";
  return false;
}

[[maybe_unused]] bool NoMemory(uint64_t size, std::string* problem) {
  *problem = "needs " + std::to_string(size) + " bytes, and there is no memory for them";
  return false;
}

// Grows *out until step() is done. step(position, room, &produced) is 1 at the end of the data, 0
// if there is more, -1 if it is damaged.
template <typename Step>
[[maybe_unused]] bool Inflate(const char* library, uint64_t stored, uint64_t size,
                              uint64_t max_size, Buffer* out, uint64_t* decompressed,
                              std::string* problem, Step step) {
  // Unknown: five times as much, as RocksDB estimates.
  uint64_t room = size > 0 ? size : std::min(max_size, stored * 5 + 4096);
  uint64_t done = 0;
  while (true) {
    if (!out->Reserve(room, done)) return NoMemory(room, problem);
    uint64_t produced = 0;
    const int state = step(out->data() + done, room - done, &produced);
    done += produced;
    *decompressed = done;
    if (state > 0) return size == 0 || done == size || Damaged(library, problem);
    if (state < 0 || size > 0) return Damaged(library, problem);
    if (done < room) return Damaged(library, problem);  // wants more input
    if (room == max_size) {
      *problem = "has more than " + std::to_string(max_size) + " bytes when decompressed";
      return false;
    }
    room = std::min(max_size, room * 2);
  }
}

}  // namespace

#ifdef BLOOMLINE_SNAPPY
bool SnappySize(std::string_view stored, uint64_t* size, std::string* problem) {
  size_t result;
  if (snappy_uncompressed_length(stored.data(), stored.size(), &result) != SNAPPY_OK) {
    return Damaged("snappy", problem);
  }
  *size = result;
  return true;
}

bool SnappyDecompress(std::string_view stored, uint64_t size, char* out, std::string* problem) {
  size_t result = size;
  return (snappy_uncompress(stored.data(), stored.size(), out, &result) == SNAPPY_OK &&
          result == size) ||
         Damaged("snappy", problem);
}
#else
bool SnappySize(std::string_view, uint64_t*, std::string* problem) {
  return BuiltWithout("snappy", problem);
}
bool SnappyDecompress(std::string_view, uint64_t, char*, std::string* problem) {
  return BuiltWithout("snappy", problem);
}
#endif

#ifdef BLOOMLINE_LZ4
bool Lz4Decompress(std::string_view stored, std::string_view dictionary, uint64_t size, char* out,
                   std::string* problem) {
  if (stored.size() > INT_MAX || size > INT_MAX || dictionary.size() > INT_MAX) {
    return Damaged("LZ4", problem);
  }
  const int result = LZ4_decompress_safe_usingDict(
      stored.data(), out, static_cast<int>(stored.size()), static_cast<int>(size),
      dictionary.data(), static_cast<int>(dictionary.size()));
  return result == static_cast<int>(size) || Damaged("LZ4", problem);
}
#else
bool Lz4Decompress(std::string_view, std::string_view, uint64_t, char*, std::string* problem) {
  return BuiltWithout("LZ4", problem);
}
#endif

#ifdef BLOOMLINE_ZLIB
bool ZlibDecompress(std::string_view stored, std::string_view dictionary, uint64_t size,
                    uint64_t max_size, Buffer* out, uint64_t* decompressed, std::string* problem) {
  if (stored.size() > UINT_MAX || max_size > UINT_MAX) return Damaged("zlib", problem);
  z_stream stream{};
  constexpr int kRawWindowBits = -14;  // RocksDB's default; a smaller window is read, too
  if (inflateInit2(&stream, kRawWindowBits) != Z_OK) return NoMemory(1 << 14, problem);
  struct End {
    z_stream* stream;
    ~End() { inflateEnd(stream); }
  } end{&stream};
  if (!dictionary.empty() &&
      inflateSetDictionary(&stream, reinterpret_cast<const Bytef*>(dictionary.data()),
                           static_cast<uInt>(dictionary.size())) != Z_OK) {
    return Damaged("zlib", problem);
  }
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data()));
  stream.avail_in = static_cast<uInt>(stored.size());
  return Inflate("zlib", stored.size(), size, max_size, out, decompressed, problem,
                 [&](char* position, uint64_t room, uint64_t* produced) {
                   stream.next_out = reinterpret_cast<Bytef*>(position);
                   stream.avail_out = static_cast<uInt>(room);
                   const int state = inflate(&stream, Z_SYNC_FLUSH);
                   *produced = room - stream.avail_out;
                   if (state == Z_STREAM_END) return 1;
                   return state == Z_OK || state == Z_BUF_ERROR ? 0 : -1;
                 });
}
#else
bool ZlibDecompress(std::string_view, std::string_view, uint64_t, uint64_t, Buffer*, uint64_t*,
                    std::string* problem) {
  return BuiltWithout("zlib", problem);
}
#endif

#ifdef BLOOMLINE_BZIP2
bool Bzip2Decompress(std::string_view stored, uint64_t size, uint64_t max_size, Buffer* out,
                     uint64_t* decompressed, std::string* problem) {
  if (stored.size() > UINT_MAX || max_size > UINT_MAX) return Damaged("bzip2", problem);
  bz_stream stream{};
  if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK) return NoMemory(1 << 22, problem);
  struct End {
    bz_stream* stream;
    ~End() { BZ2_bzDecompressEnd(stream); }
  } end{&stream};
  stream.next_in = const_cast<char*>(stored.data());
  stream.avail_in = static_cast<unsigned>(stored.size());
  return Inflate("bzip2", stored.size(), size, max_size, out, decompressed, problem,
                 [&](char* position, uint64_t room, uint64_t* produced) {
                   stream.next_out = position;
                   stream.avail_out = static_cast<unsigned>(room);
                   const int state = BZ2_bzDecompress(&stream);
                   *produced = room - stream.avail_out;
                   if (state == BZ_STREAM_END) return 1;
                   return state == BZ_OK ? 0 : -1;
                 });
}
#else
bool Bzip2Decompress(std::string_view, uint64_t, uint64_t, Buffer*, uint64_t*,
                     std::string* problem) {
  return BuiltWithout("bzip2", problem);
}
#endif

#ifdef BLOOMLINE_ZSTD
ZstdContext::~ZstdContext() {
  ZSTD_freeDCtx(static_cast<ZSTD_DCtx*>(context_));
  ZSTD_freeDDict(static_cast<ZSTD_DDict*>(dictionary_));
}

bool ZstdContext::Size(std::string_view stored, uint64_t* size, std::string* problem) {
  const unsigned long long result = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (result == ZSTD_CONTENTSIZE_ERROR || result == ZSTD_CONTENTSIZE_UNKNOWN) {
    return Damaged("zstd", problem);
  }
  *size = result;
  return true;
}

bool ZstdContext::Decompress(std::string_view stored, std::string_view dictionary, uint64_t size,
                             char* out, std::string* problem) {
  if (context_ == nullptr) context_ = ZSTD_createDCtx();
  if (!dictionary.empty() && dictionary_ == nullptr) {
    dictionary_ = ZSTD_createDDict(dictionary.data(), dictionary.size());
  }
  if (context_ == nullptr || (!dictionary.empty() && dictionary_ == nullptr)) {
    return NoMemory(dictionary.size(), problem);
  }
  auto* context = static_cast<ZSTD_DCtx*>(context_);
  const size_t result =
      dictionary.empty()
          ? ZSTD_decompressDCtx(context, out, size, stored.data(), stored.size())
          : ZSTD_decompress_usingDDict(context, out, size, stored.data(), stored.size(),
                                       static_cast<ZSTD_DDict*>(dictionary_));
  return (!ZSTD_isError(result) && result == size) || Damaged("zstd", problem);
}
#else
ZstdContext::~ZstdContext() = default;
bool ZstdContext::Size(std::string_view, uint64_t*, std::string* problem) {
  return BuiltWithout("zstd", problem);
}
bool ZstdContext::Decompress(std::string_view, std::string_view, uint64_t, char*,
                             std::string* problem) {
  return BuiltWithout("zstd", problem);
}
#endif

}  // namespace bloomline::sstable
