#include "src/inspect/sstable/bytes/decompressor.h"

#include <algorithm>

#include "src/inspect/sstable/bytes/coding.h"

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

}  // namespace

Decompressor::Decompressor(const CompressionRules* rules) : rules_(rules) {}

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
    return ZstdContext::Size(*stored, size, problem);
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
  if (!out->Reserve(size)) {
    return Problem("needs " + std::to_string(size) + " bytes, and there is no memory for them",
                   problem);
  }
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
      if (zstd_ == nullptr) zstd_ = std::make_unique<ZstdContext>();
      done = zstd_->Decompress(stored, dictionary_, size, out->data(), problem);
  }
  if (done) *contents = std::string_view(out->data(), size);
  return done;
}

}  // namespace bloomline::sstable
