#include "src/db/tables/bytes/decompressor.h"

#include <algorithm>
#include <climits>
#include <iterator>
#include <new>
#include <utility>

#include "src/db/tables/bytes/coding.h"
#include "src/support/number_text.h"

#if BLOOMLINE_SNAPPY
#include <snappy-c.h>
#endif
#if BLOOMLINE_LZ4
#include <lz4.h>
#endif
#if BLOOMLINE_ZLIB
#include <zlib.h>
#endif
#if BLOOMLINE_ZSTD
#include <zstd.h>
#endif

// Without its library, a function uses none of its parameters.
#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace bloomline::tables {
namespace {

using support::Refuse;

struct Codec {
  Compression type;
  const char* name;
  // The most bytes that one compressed byte can become, by the format. A block that claims more is
  // damaged, and no memory is allocated for it.
  uint64_t max_expansion;
  bool is_built_in;
};
constexpr Codec kCodecs[] = {
    {Compression::kSnappy, "snappy", 64, BLOOMLINE_SNAPPY},  // a copy of 64 bytes takes 3
    {Compression::kZlib, "zlib", 1040, BLOOMLINE_ZLIB},      // 258 bytes take 2 bits
    {Compression::kLz4, "LZ4", 256, BLOOMLINE_LZ4},          // a length byte stands for 255
    {Compression::kLz4Hc, "LZ4", 256, BLOOMLINE_LZ4},
    {Compression::kZstd, "zstd", 32768, BLOOMLINE_ZSTD},  // a block of 128 KiB takes 4 bytes
    {Compression::kZstdNotFinal, "zstd", 32768, BLOOMLINE_ZSTD},
};

// ---- The libraries' calls. All return false if the data is damaged, or without the library.

bool SnappySize(std::string_view stored, uint64_t* size) {
#if BLOOMLINE_SNAPPY
  size_t result = 0;
  const auto status = snappy_uncompressed_length(stored.data(), stored.size(), &result);
  *size = result;
  return status == SNAPPY_OK;
#else
  return false;
#endif
}

bool SnappyDecompress(std::string_view stored, uint64_t size, char* out) {
#if BLOOMLINE_SNAPPY
  auto result = static_cast<size_t>(size);
  return snappy_uncompress(stored.data(), stored.size(), out, &result) == SNAPPY_OK &&
         result == size;
#else
  return false;
#endif
}

bool Lz4Decompress(std::string_view stored, std::string_view dictionary, uint64_t size, char* out) {
#if BLOOMLINE_LZ4
  if (stored.size() > INT_MAX || size > INT_MAX || dictionary.size() > INT_MAX) return false;
  const int result = LZ4_decompress_safe_usingDict(
      stored.data(), out, static_cast<int>(stored.size()), static_cast<int>(size),
      dictionary.data(), static_cast<int>(dictionary.size()));
  return result == static_cast<int>(size);
#else
  return false;
#endif
}

#if BLOOMLINE_ZLIB
struct ZlibStream : z_stream {
  // Behind zlib's header, or without one. Smaller windows are read, too: RocksDB's have 14 bits.
  static constexpr int kWithHeader = 15;
  static constexpr int kRaw = -15;

  ZlibStream(std::string_view stored, int window_bits) : z_stream{} {
    if (inflateInit2(this, window_bits) != Z_OK) throw std::bad_alloc();
    next_in = BytesOf(stored);
    avail_in = static_cast<uInt>(stored.size());
  }
  ~ZlibStream() { inflateEnd(this); }

  static Bytef* BytesOf(std::string_view text) {
    return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  }
  int InflateTo(char* out, uint64_t room, int flush) {
    next_out = reinterpret_cast<Bytef*>(out);
    avail_out = static_cast<uInt>(room);
    const int state = inflate(this, flush);
    if (state == Z_MEM_ERROR) throw std::bad_alloc();
    return state;
  }
};
#endif

bool ZlibDecompress(std::string_view stored, std::string_view dictionary, uint64_t size,
                    char* out) {
#if BLOOMLINE_ZLIB
  if (stored.size() > UINT_MAX) return false;
  ZlibStream stream(stored, ZlibStream::kRaw);
  if (!dictionary.empty() && inflateSetDictionary(&stream, ZlibStream::BytesOf(dictionary),
                                                  static_cast<uInt>(dictionary.size())) != Z_OK) {
    return false;
  }
  return stream.InflateTo(out, size, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
#else
  return false;
#endif
}

// Decompresses data that does not record its size. Sets *size to most + 1 or more if it has more
// bytes than that.
bool ZlibDecompressAll(std::string_view stored, bool has_header, uint64_t most, Buffer* out,
                       uint64_t* size) {
#if BLOOMLINE_ZLIB
  if (stored.size() > UINT_MAX) return false;
  out->Reserve(4 * stored.size() + 1);
  while (true) {
    ZlibStream stream(stored, has_header ? ZlibStream::kWithHeader : ZlibStream::kRaw);
    *size = 0;
    int state = Z_OK;
    while (state == Z_OK && *size <= most) {
      const uint64_t room = std::min<uint64_t>(out->capacity(), UINT_MAX);
      state = stream.InflateTo(out->data(), room, Z_NO_FLUSH);
      *size += room - stream.avail_out;
    }
    if (state != Z_STREAM_END && *size <= most) return false;
    // Else only the size is known now. A buffer that grew meanwhile would be there twice.
    if (*size <= out->capacity() || *size > most) return true;
    out->Reserve(*size);
  }
#else
  return false;
#endif
}

bool ZstdSize(std::string_view stored, uint64_t* size) {
#if BLOOMLINE_ZSTD
  const unsigned long long result = ZSTD_getFrameContentSize(stored.data(), stored.size());
  *size = result;
  return result != ZSTD_CONTENTSIZE_ERROR && result != ZSTD_CONTENTSIZE_UNKNOWN;
#else
  return false;
#endif
}

// *context is null at first, and keeps the dictionary of the first block, because to make a context
// costs more than a block.
bool ZstdDecompress(std::string_view stored, const std::string& dictionary, uint64_t size,
                    char* out, std::shared_ptr<void>* context) {
#if BLOOMLINE_ZSTD
  auto* const zstd = static_cast<ZSTD_DCtx*>(*context ? context->get() : ZSTD_createDCtx());
  if (zstd == nullptr) throw std::bad_alloc();
  if (*context == nullptr) {
    std::shared_ptr<void> added(zstd, [](void* p) { ZSTD_freeDCtx(static_cast<ZSTD_DCtx*>(p)); });
    if (ZSTD_isError(ZSTD_DCtx_loadDictionary(zstd, dictionary.data(), dictionary.size()))) {
      return false;
    }
    *context = std::move(added);
  }
  return ZSTD_decompressDCtx(zstd, out, static_cast<size_t>(size), stored.data(), stored.size()) ==
         size;
#else
  return false;
#endif
}

constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

bool WithoutLibrary(const char* codec, std::string* problem) {
  return Refuse(problem, "is compressed with ", codec, ", and this program was built without it");
}

}  // namespace

void Decompressor::SetDictionary(std::string dictionary) {
  dictionary_ = std::move(dictionary);
  zstd_.reset();  // it has the old dictionary
}

bool Decompressor::TakeSize(const char* codec, Compression type, std::string_view* stored,
                            uint64_t* size, std::string* problem) const {
  *size = 0;
  const bool is_zstd = type == Compression::kZstd || type == Compression::kZstdNotFinal;
  if (is_zstd && rules_->engine == Engine::kLevelDB) {
    return ZstdSize(*stored, size) || Refuse(problem, "has zstd data without their size");
  }
  if (type == Compression::kSnappy) {
    return SnappySize(*stored, size) || Refuse(problem, "has damaged ", codec, " data");
  }
  if (!is_zstd && rules_->format_version < 2) {
    return Refuse(problem,
                  "is compressed with zlib or LZ4 in the form of format_version 0 and 1; 2 to 7 "
                  "are known");
  }
  uint32_t prefix;
  if (!TakeVarint(stored, &prefix)) {
    return Refuse(problem, "has no size in front of its compressed data");
  }
  *size = prefix;
  return true;
}

bool Decompressor::Decompress(uint8_t type_byte, std::string_view stored, Buffer* out,
                              std::string_view* contents, std::string* problem) {
  auto type = static_cast<Compression>(type_byte);
  if (rules_->engine == Engine::kLevelDB) {
    // LevelDB's number 2 is zstd, since 2023. In Minecraft's LevelDB, 2 is zlib and 4 raw deflate.
    const bool is_zstd = stored.substr(0, kZstdMagic.size()) == kZstdMagic;
    if (type_byte == 4 || (type_byte == 2 && !is_zstd)) {
      return Inflate(type_byte, stored, out, contents, problem);
    }
    if (type_byte > 2) {
      return Refuse(problem, "has compression type ", type_byte,
                    "; LevelDB's are 0 to 2, and 4 in Minecraft");
    }
    if (type == Compression::kZlib) type = Compression::kZstd;
  } else if (!rules_->manager.empty() && rules_->manager != "BuiltinV2") {
    return Refuse(problem, "is compressed by \"", rules_->manager,
                  "\", which is not RocksDB's own");
  }
  const Codec* const codec = std::find_if(std::begin(kCodecs), std::end(kCodecs),
                                          [=](const Codec& row) { return row.type == type; });
  if (codec == std::end(kCodecs)) {
    return Refuse(problem, "has compression type ", type_byte,
                  "; 0 to 2, 4, 5, 7 and 64 are known");
  }
  if (!codec->is_built_in) return WithoutLibrary(codec->name, problem);

  uint64_t size;
  const uint64_t most = std::min(kMaxDecompressedBytes, (stored.size() + 1) * codec->max_expansion);
  const uint64_t stored_size = stored.size();
  if (!TakeSize(codec->name, type, &stored, &size, problem)) return false;
  if (size > most) {
    return Refuse(problem, "claims to have ", size, " bytes when decompressed; ", stored_size,
                  " bytes can have ", most, " at most");
  }
  out->Reserve(size);
  if (!Fill(type, stored, size, out->data())) {
    return Refuse(problem, "has damaged ", codec->name, " data");
  }
  *contents = std::string_view(out->data(), static_cast<size_t>(size));
  return true;
}

bool Decompressor::Inflate(uint8_t type_byte, std::string_view stored, Buffer* out,
                           std::string_view* contents, std::string* problem) {
  if (!BLOOMLINE_ZLIB) return WithoutLibrary("zlib", problem);
  const bool has_header = type_byte == 2;
  uint64_t size;
  if (!ZlibDecompressAll(stored, has_header, kMaxDecompressedBytes, out, &size)) {
    // Other forks of LevelDB may use the number for something else.
    return Refuse(problem, "has compression type ", type_byte, ", and is no whole ",
                  has_header ? "zlib or zstd" : "deflate", " data");
  }
  if (size > kMaxDecompressedBytes) {
    return Refuse(problem, "has more than ", kMaxDecompressedBytes, " bytes when decompressed");
  }
  *contents = std::string_view(out->data(), static_cast<size_t>(size));
  return true;
}

bool Decompressor::Fill(Compression type, std::string_view stored, uint64_t size, char* out) {
  switch (type) {
    case Compression::kSnappy:
      return SnappyDecompress(stored, size, out);
    case Compression::kZlib:
      return ZlibDecompress(stored, dictionary_, size, out);
    case Compression::kLz4:
    case Compression::kLz4Hc:
      return Lz4Decompress(stored, dictionary_, size, out);
    default:
      return ZstdDecompress(stored, dictionary_, size, out, &zstd_);
  }
}

}  // namespace bloomline::tables
