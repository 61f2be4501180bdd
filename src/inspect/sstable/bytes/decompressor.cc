#include "src/inspect/sstable/bytes/decompressor.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <utility>

#include "src/inspect/sstable/bytes/coding.h"

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

bool NoMemory(uint64_t size, std::string* problem) {
  return Problem("needs " + std::to_string(size) + " bytes, and there is no memory for them",
                 problem);
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
      return Problem("has more than " + std::to_string(max_size) + " bytes when decompressed",
                     problem);
    }
    room = std::min(max_size, room * 2);
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
  size_t result = size;
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

bool ZlibDecompress(std::string_view stored, std::string_view dictionary, uint64_t size,
                    uint64_t max_size, Buffer* out, uint64_t* decompressed, std::string* problem) {
#ifdef BLOOMLINE_ZLIB
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
#else
  return BuiltWithout("zlib", problem);
#endif
}

bool Bzip2Decompress(std::string_view stored, uint64_t size, uint64_t max_size, Buffer* out,
                     uint64_t* decompressed, std::string* problem) {
#ifdef BLOOMLINE_BZIP2
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
      return NoMemory(dictionary.size(), problem);
    }
    const size_t result =
        dictionary.empty() ? ZSTD_decompressDCtx(context, out, size, stored.data(), stored.size())
                           : ZSTD_decompress_usingDDict(context, out, size, stored.data(),
                                                        stored.size(), prepared);
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
  if (!out->Reserve(size)) return NoMemory(size, problem);
  bool done = false;
  switch (type) {
    case Compression::kSnappy:
      done = SnappyDecompress(stored, size, out->data(), problem);
      break;
    case Compression::kZlib:
      done = ZlibDecompress(stored, dictionary_, size, kMaxDecompressedBytes, out, &size, problem);
      break;
    case Compression::kBzip2:
      done = Bzip2Decompress(stored, size, kMaxDecompressedBytes, out, &size, problem);
      break;
    case Compression::kLz4:
    case Compression::kLz4Hc:
      done = Lz4Decompress(stored, dictionary_, size, out->data(), problem);
      break;
    default:
      if (zstd_ == nullptr) zstd_ = std::make_unique<Zstd>();
      done = zstd_->Decompress(stored, dictionary_, size, out->data(), problem);
  }
  if (done) *contents = std::string_view(out->data(), size);
  return done;
}

}  // namespace bloomline::sstable
