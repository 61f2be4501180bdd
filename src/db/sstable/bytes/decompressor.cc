#include "src/db/sstable/bytes/decompressor.h"

#include <algorithm>
#include <climits>
#include <new>
#include <utility>

#include "src/db/sstable/bytes/coding.h"

#ifdef BLOOMLINE_SNAPPY
#include <snappy-c.h>
#endif
#ifdef BLOOMLINE_LZ4
#include <lz4.h>
#endif
#ifdef BLOOMLINE_ZLIB
#include <zlib.h>
#endif
#ifdef BLOOMLINE_ZSTD
#include <zstd.h>
#endif

// What the libraries are not there for uses none of its parameters.
#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace bloomline::sstable {
namespace {

// How many bytes one compressed byte can become at most, from the formats; what claims more is
// damaged, and gets no memory. snappy: a copy of 64 bytes takes 3. LZ4: a length byte stands for
// 255. zlib: 258 bytes take 2 bits. zstd: a block of 128 KiB takes 4 bytes.
uint64_t MaxExpansion(Compression type) {
  switch (type) {
    case Compression::kSnappy:
      return 64;
    case Compression::kLz4:
    case Compression::kLz4Hc:
      return 256;
    case Compression::kZlib:
      return 1040;
    default:
      return 32768;
  }
}

bool IsKnown(Compression type) {
  switch (type) {
    case Compression::kSnappy:
    case Compression::kZlib:
    case Compression::kLz4:
    case Compression::kLz4Hc:
    case Compression::kZstd:
    case Compression::kZstdNotFinal:
      return true;
    default:
      return false;
  }
}

bool Problem(std::string text, std::string* problem) {
  *problem = std::move(text);
  return false;
}

// ---- One function for each compression library. All: false, with *problem ("has damaged snappy
// data", "is compressed with snappy, and this program was built without it").

[[maybe_unused]] bool BuiltWithout(const char* library, std::string* problem) {
  return Problem(
      std::string("is compressed with ") + library + ", and this program was built without it",
      problem);
}

[[maybe_unused]] bool Damaged(const char* library, std::string* problem) {
  return Problem(std::string("has damaged ") + library + " data", problem);
}

bool SnappySize(std::string_view stored, uint64_t* size, std::string* problem) {
#ifdef BLOOMLINE_SNAPPY
  size_t result;
  if (snappy_uncompressed_length(stored.data(), stored.size(), &result) != SNAPPY_OK) {
    return Damaged("snappy", problem);
  }
  *size = result;
  return true;
#else
  return BuiltWithout("snappy", problem);
#endif
}

bool SnappyDecompress(std::string_view stored, uint64_t size, char* out, std::string* problem) {
#ifdef BLOOMLINE_SNAPPY
  auto result = static_cast<size_t>(size);
  return (snappy_uncompress(stored.data(), stored.size(), out, &result) == SNAPPY_OK &&
          result == size) ||
         Damaged("snappy", problem);
#else
  return BuiltWithout("snappy", problem);
#endif
}

bool Lz4Decompress(std::string_view stored, std::string_view dictionary, uint64_t size, char* out,
                   std::string* problem) {
#ifdef BLOOMLINE_LZ4
  if (stored.size() > INT_MAX || size > INT_MAX || dictionary.size() > INT_MAX) {
    return Damaged("LZ4", problem);
  }
  const int result = LZ4_decompress_safe_usingDict(
      stored.data(), out, static_cast<int>(stored.size()), static_cast<int>(size),
      dictionary.data(), static_cast<int>(dictionary.size()));
  return result == static_cast<int>(size) || Damaged("LZ4", problem);
#else
  return BuiltWithout("LZ4", problem);
#endif
}

bool ZlibDecompress(std::string_view stored, std::string_view dictionary, uint64_t size, char* out,
                    std::string* problem) {
#ifdef BLOOMLINE_ZLIB
  if (stored.size() > UINT_MAX) return Damaged("zlib", problem);
  const auto bytes_of = [](std::string_view text) {
    return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  };
  z_stream stream{};
  constexpr int kRawWindowBits = -14;  // RocksDB's default; a smaller window is read, too
  if (inflateInit2(&stream, kRawWindowBits) != Z_OK) throw std::bad_alloc();
  int state = Z_OK;
  if (!dictionary.empty()) {
    state =
        inflateSetDictionary(&stream, bytes_of(dictionary), static_cast<uInt>(dictionary.size()));
  }
  stream.next_in = bytes_of(stored);
  stream.avail_in = static_cast<uInt>(stored.size());
  stream.next_out = reinterpret_cast<Bytef*>(out);
  stream.avail_out = static_cast<uInt>(size);
  if (state == Z_OK) state = inflate(&stream, Z_FINISH);
  const bool is_whole = state == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  return is_whole || Damaged("zlib", problem);
#else
  return BuiltWithout("zlib", problem);
#endif
}

bool ZstdSize(std::string_view stored, uint64_t* size, std::string* problem) {
#ifdef BLOOMLINE_ZSTD
  const unsigned long long result = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (result == ZSTD_CONTENTSIZE_ERROR || result == ZSTD_CONTENTSIZE_UNKNOWN) {
    return Damaged("zstd", problem);
  }
  *size = result;
  return true;
#else
  return BuiltWithout("zstd", problem);
#endif
}

}  // namespace

// Contexts cost more to make than a block takes.
struct Decompressor::Zstd {
#ifdef BLOOMLINE_ZSTD
  ZSTD_DCtx* context = nullptr;
  ZSTD_DDict* prepared = nullptr;  // the dictionary

  ~Zstd() {
    ZSTD_freeDCtx(context);
    ZSTD_freeDDict(prepared);
  }
#endif

  // The dictionary must stay the same from call to call.
  bool Decompress(std::string_view stored, std::string_view dictionary, uint64_t size, char* out,
                  std::string* problem) {
#ifdef BLOOMLINE_ZSTD
    if (context == nullptr) context = ZSTD_createDCtx();
    if (!dictionary.empty() && prepared == nullptr) {
      prepared = ZSTD_createDDict(dictionary.data(), dictionary.size());
    }
    if (context == nullptr || (!dictionary.empty() && prepared == nullptr)) {
      throw std::bad_alloc();
    }
    const size_t result = dictionary.empty()
                              ? ZSTD_decompressDCtx(context, out, static_cast<size_t>(size),
                                                    stored.data(), stored.size())
                              : ZSTD_decompress_usingDDict(context, out, static_cast<size_t>(size),
                                                           stored.data(), stored.size(), prepared);
    return (!ZSTD_isError(result) && result == size) || Damaged("zstd", problem);
#else
    return BuiltWithout("zstd", problem);
#endif
  }
};

Decompressor::Decompressor(const CompressionRules* rules) : rules_(rules) {}
Decompressor::~Decompressor() = default;

void Decompressor::SetDictionary(std::string dictionary) {
  dictionary_ = std::move(dictionary);
  zstd_.reset();  // it has the old one
}

bool Decompressor::TakeSize(Compression type, std::string_view* stored, uint64_t* size,
                            std::string* problem) const {
  *size = 0;
  if (type == Compression::kSnappy) return SnappySize(*stored, size, problem);
  const bool is_zstd = type == Compression::kZstd || type == Compression::kZstdNotFinal;
  if (is_zstd && rules_->engine == Engine::kLevelDB) {
    return ZstdSize(*stored, size, problem);
  }
  if (!is_zstd && rules_->format_version < 2) {
    return Problem(
        "is compressed with zlib or LZ4 in the form of format_version 0 and 1; 2 to 7 "
        "are known",
        problem);
  }
  uint32_t prefix;
  if (!TakeVarint(stored, &prefix)) {
    return Problem("has no size in front of its compressed data", problem);
  }
  *size = prefix;
  return true;
}

bool Decompressor::Decompress(uint8_t type_byte, std::string_view stored, Buffer* out,
                              std::string_view* contents, std::string* problem) {
  auto type = static_cast<Compression>(type_byte);
  if (rules_->engine == Engine::kLevelDB) {
    // LevelDB's number 2 is zstd, since 2023; it has no others.
    if (type_byte > 2) {
      return Problem("has compression type " + std::to_string(type_byte) + "; LevelDB's are 0 to 2",
                     problem);
    }
    if (type == Compression::kZlib) type = Compression::kZstd;
  } else if (!rules_->manager.empty() && rules_->manager != "BuiltinV2") {
    return Problem("is compressed by \"" + rules_->manager + "\", which is not RocksDB's own",
                   problem);
  } else if (!IsKnown(type)) {
    return Problem(
        "has compression type " + std::to_string(type_byte) + "; 0 to 2, 4, 5, 7 and 64 are known",
        problem);
  }

  uint64_t size;
  const uint64_t stored_size = stored.size();
  if (!TakeSize(type, &stored, &size, problem)) return false;
  if (size > kMaxDecompressedBytes || size / MaxExpansion(type) > stored_size + 1) {
    return Problem("claims to have " + std::to_string(size) + " bytes when decompressed; " +
                       std::to_string(stored_size) + " bytes can have " +
                       std::to_string(std::min(kMaxDecompressedBytes,
                                               (stored_size + 1) * MaxExpansion(type))) +
                       " at most",
                   problem);
  }
  out->Reserve(size);
  bool done = false;
  switch (type) {
    case Compression::kSnappy:
      done = SnappyDecompress(stored, size, out->data(), problem);
      break;
    case Compression::kZlib:
      done = ZlibDecompress(stored, dictionary_, size, out->data(), problem);
      break;
    case Compression::kLz4:
    case Compression::kLz4Hc:
      done = Lz4Decompress(stored, dictionary_, size, out->data(), problem);
      break;
    default:
      if (zstd_ == nullptr) zstd_ = std::make_unique<Zstd>();
      done = zstd_->Decompress(stored, dictionary_, size, out->data(), problem);
  }
  if (done) *contents = std::string_view(out->data(), static_cast<size_t>(size));
  return done;
}

}  // namespace bloomline::sstable
