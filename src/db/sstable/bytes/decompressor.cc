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
#ifdef BLOOMLINE_BZIP2
#include <bzlib.h>
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
// 255. zlib: 258 bytes take 2 bits. zstd: a block of 128 KiB takes 4 bytes. bzip2: 900,000 equal
// bytes take about 40.
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
  return type <= Compression::kZstd || type == Compression::kZstdNotFinal;
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

// Into `size` bytes; 0: unknown, and *size becomes how many there are. attempt(out, &n) is for n
// bytes of room, which it sets to those that it made: 1 if that is all, 0 if there is too little
// room, -1 if the data is damaged.
template <typename Attempt>
[[maybe_unused]] bool Inflate(const char* library, uint64_t stored, Buffer* out, uint64_t* size,
                              std::string* problem, Attempt attempt) {
  // Unknown: five times as much, as RocksDB estimates.
  uint64_t room = *size > 0 ? *size : std::min(kMaxDecompressedBytes, stored * 5 + 4096);
  while (true) {
    out->Reserve(room);
    uint64_t done = room;
    const int state = attempt(out->data(), &done);
    if (state > 0 && (*size == 0 || done == *size)) {
      *size = done;
      return true;
    }
    if (state != 0 || *size > 0) return Damaged(library, problem);
    if (room == kMaxDecompressedBytes) {
      return Problem("has more than " + std::to_string(room) + " bytes when decompressed", problem);
    }
    room = std::min(kMaxDecompressedBytes, room * 2);
  }
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

bool ZlibDecompress(std::string_view stored, std::string_view dictionary, Buffer* out,
                    uint64_t* size, std::string* problem) {
#ifdef BLOOMLINE_ZLIB
  if (stored.size() > UINT_MAX) return Damaged("zlib", problem);
  const auto bytes_of = [](std::string_view text) {
    return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  };
  return Inflate("zlib", stored.size(), out, size, problem, [&](char* to, uint64_t* n) {
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
    stream.next_out = reinterpret_cast<Bytef*>(to);
    stream.avail_out = static_cast<uInt>(*n);
    if (state == Z_OK) state = inflate(&stream, Z_FINISH);
    *n -= stream.avail_out;
    inflateEnd(&stream);
    if (state == Z_STREAM_END) return 1;
    return state == Z_BUF_ERROR && stream.avail_out == 0 ? 0 : -1;
  });
#else
  return BuiltWithout("zlib", problem);
#endif
}

bool Bzip2Decompress(std::string_view stored, Buffer* out, uint64_t* size, std::string* problem) {
#ifdef BLOOMLINE_BZIP2
  if (stored.size() > UINT_MAX) return Damaged("bzip2", problem);
  return Inflate("bzip2", stored.size(), out, size, problem, [&](char* to, uint64_t* n) {
    auto made = static_cast<unsigned>(*n);
    const int state = BZ2_bzBuffToBuffDecompress(to, &made, const_cast<char*>(stored.data()),
                                                 static_cast<unsigned>(stored.size()), 0, 0);
    if (state == BZ_MEM_ERROR) throw std::bad_alloc();
    *n = made;
    return state == BZ_OK ? 1 : state == BZ_OUTBUFF_FULL ? 0 : -1;
  });
#else
  return BuiltWithout("bzip2", problem);
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
  constexpr const char* kNoSize = "has no size in front of its compressed data";
  if (is_zstd || rules_->format_version >= 2) {
    uint32_t prefix;
    if (!TakeVarint(stored, &prefix)) return Problem(kNoSize, problem);
    *size = prefix;
    return true;
  }
  if (type != Compression::kLz4 && type != Compression::kLz4Hc) return true;
  if (stored->size() < 8) return Problem(kNoSize, problem);
  *size = LoadLittleEndian32(stored->data());  // memory of a size_t, on little-endian machines
  stored->remove_prefix(8);
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
  } else if (!IsKnown(type) || type == Compression::kXpress) {
    return Problem(
        "has compression type " + std::to_string(type_byte) + "; 0 to 5, 7 and 64 are known",
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
      done = ZlibDecompress(stored, dictionary_, out, &size, problem);
      break;
    case Compression::kBzip2:
      done = Bzip2Decompress(stored, out, &size, problem);
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
