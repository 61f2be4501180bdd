#include "src/db/tables/block_file.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "src/db/tables/bytes/coding.h"
#include "src/support/hex.h"

namespace bloomline::tables {
namespace {

using support::Refuse;

constexpr uint64_t kLevelDBMagic = 0xdb4775248b80fb57;
constexpr uint64_t kRocksDBMagic = 0x88e241b785f4cff7;
constexpr uint32_t kLastFormatVersion = 7;
constexpr size_t kHandlesBytes = 40;

bool DecodeHandles(std::string_view input, Footer* footer) {
  return TakeBlockHandle(&input, &footer->metaindex) && TakeBlockHandle(&input, &footer->index);
}

// ---- format_version 6 and later.

constexpr std::string_view kExtendedMagic("\x3e\x00\x7a\x00", 4);
constexpr size_t kChecksumOffset = 5;

// `bytes` is the whole footer, with zeros in place of its checksum.
uint32_t FooterChecksum(const Footer& footer, std::string_view bytes, uint64_t offset) {
  return Checksum(footer.checksum, bytes.data(), bytes.size()) +
         ChecksumContext(footer.base_context_checksum, offset);
}

bool DecodeWithContext(std::string_view bytes, bool verify_checksum, Footer* footer) {
  if (bytes.substr(1, 4) != kExtendedMagic) return false;
  const uint32_t stored = LoadLittleEndian32(bytes.data() + kChecksumOffset);
  footer->base_context_checksum = LoadLittleEndian32(bytes.data() + 9);
  const uint32_t metaindex_bytes = LoadLittleEndian32(bytes.data() + 13);
  if (verify_checksum) {
    std::array<char, Footer::kMaxBytes> without_checksum;
    std::memcpy(without_checksum.data(), bytes.data(), bytes.size());
    std::memset(without_checksum.data() + kChecksumOffset, 0, sizeof(stored));
    const std::string_view rest(without_checksum.data(), without_checksum.size());
    if (FooterChecksum(*footer, rest, footer->offset) != stored) return false;
  }
  // 8 bytes follow, which RocksDB reserves for later features.
  if (LoadLittleEndian64(bytes.data() + 33) != 0) return false;
  if (metaindex_bytes + kBlockTrailerBytes > footer->offset) return false;
  footer->metaindex = {footer->offset - kBlockTrailerBytes - metaindex_bytes, metaindex_bytes};
  return true;
}

// ---- Blocks.

// Sequential reads double from the first size to the last: a caller that wants only a few blocks of
// each file does not pay for a megabyte.
constexpr uint64_t kFirstReadAhead = 64 << 10;
constexpr uint64_t kLastReadAhead = 1 << 20;

}  // namespace

bool TakeBlockHandle(std::string_view* input, BlockHandle* handle) {
  return TakeVarint(input, &handle->offset) && TakeVarint(input, &handle->size);
}

std::string BlockHandleText(const BlockHandle& handle) {
  std::string text;
  AppendVarint(handle.offset, &text);
  AppendVarint(handle.size, &text);
  return text;
}

std::string EncodeFooter(const Footer& form, uint64_t offset, const BlockHandle& metaindex,
                         const BlockHandle& index) {
  if (form.has_leveldb_magic) {
    std::string bytes = BlockHandleText(metaindex) + BlockHandleText(index);
    bytes.resize(Footer::kMinBytes);
    kernels::StoreLittleEndian64(kLevelDBMagic, bytes.data() + bytes.size() - kMagicBytes);
    return bytes;
  }
  const bool has_context = form.format_version >= 6;
  std::string bytes(1, static_cast<char>(form.checksum));
  if (has_context) {
    bytes += kExtendedMagic;
    AppendFixed32(0, &bytes);  // its checksum
    AppendFixed32(form.base_context_checksum, &bytes);
    AppendFixed32(static_cast<uint32_t>(metaindex.size), &bytes);
  } else {
    bytes += BlockHandleText(metaindex) + BlockHandleText(index);
  }
  bytes.resize(1 + kHandlesBytes);
  AppendFixed32(static_cast<uint32_t>(form.format_version), &bytes);
  bytes.resize(Footer::kMaxBytes);
  kernels::StoreLittleEndian64(kRocksDBMagic, bytes.data() + bytes.size() - kMagicBytes);
  if (has_context) {
    const uint32_t checksum = FooterChecksum(form, bytes, offset);
    kernels::StoreLittleEndian32(checksum, bytes.data() + kChecksumOffset);
  }
  return bytes;
}

bool DecodeFooter(std::string_view end, uint64_t file_bytes, bool verify_checksum, Footer* footer,
                  std::string* problem) {
  const auto checked = [&](bool is_decoded) {
    return is_decoded || Refuse(problem, "the footer at offset ", footer->offset,
                                " is damaged, or of a RocksDB newer than 11.9");
  };
  const uint64_t magic = LoadLittleEndian64(end.data() + end.size() - kMagicBytes);
  footer->has_leveldb_magic = magic == kLevelDBMagic;
  if (footer->has_leveldb_magic) {
    footer->offset = file_bytes - Footer::kMinBytes;
    end = end.substr(end.size() - Footer::kMinBytes);
    return checked(DecodeHandles(end.substr(0, kHandlesBytes), footer));
  }
  if (magic == kPebbleMagic) {
    return Refuse(problem,
                  "is a table of Pebble (magic number f09faab3f09faab3), of which nothing is read; "
                  "allowed: tables of LevelDB or RocksDB");
  }
  if (magic != kRocksDBMagic) {
    return Refuse(problem, "is not a table of LevelDB or RocksDB: its magic number is ",
                  support::Hex(magic),
                  "; allowed: db4775248b80fb57 (LevelDB), 88e241b785f4cff7 (RocksDB)");
  }
  if (end.size() < Footer::kMaxBytes) {
    return Refuse(problem, "is cut off: it has ", file_bytes, " bytes, and a footer has ",
                  Footer::kMaxBytes);
  }
  const std::string_view bytes = end.substr(end.size() - Footer::kMaxBytes);
  footer->offset = file_bytes - Footer::kMaxBytes;
  const uint32_t version = LoadLittleEndian32(bytes.data() + 1 + kHandlesBytes);
  if (version > kLastFormatVersion) {
    return Refuse(problem, "has format_version ", version, "; 0 to ", kLastFormatVersion,
                  " are known");
  }
  footer->format_version = static_cast<int>(version);
  footer->checksum = static_cast<ChecksumType>(bytes[0]);
  if (footer->checksum > ChecksumType::kXxh3) {
    return Refuse(problem, "has checksum type ", int{static_cast<unsigned char>(bytes[0])},
                  "; 0 to 4 are known");
  }
  return checked(version >= 6 ? DecodeWithContext(bytes, verify_checksum, footer)
                              : DecodeHandles(bytes.substr(1, kHandlesBytes), footer));
}

bool BlockReader::PrefetchTail(uint64_t n, std::string_view* tail, std::string* error) {
  const uint64_t size = file_->file.size();
  const uint64_t offset = size - std::min(n, size);
  const char* bytes;
  if (!Window(offset, size - offset, &bytes, error)) return false;
  *tail = std::string_view(bytes, static_cast<size_t>(size - offset));
  return true;
}

bool BlockReader::Window(uint64_t offset, uint64_t n, const char** bytes, std::string* error) {
  if (offset < window_offset_ || offset + n > window_offset_ + window_size_) {
    uint64_t size = n;
    if (access_ == Access::kSequential) {
      const bool follows =
          window_size_ > 0 && offset >= window_offset_ && offset <= window_offset_ + window_size_;
      read_ahead_ = follows ? std::min(read_ahead_ * 2, kLastReadAhead) : kFirstReadAhead;
      size = std::max(n, std::min(read_ahead_, file_->file.size() - offset));
    }
    window_size_ = 0;
    window_.Reserve(size);
    if (!file_->file.ReadAt(offset, size, window_.data(), error)) return false;
    window_offset_ = offset;
    window_size_ = size;
    if (access_ == Access::kSequential && read_ahead_ == kLastReadAhead) {
      // The disk reads ahead while these blocks are decoded.
      support::WillRead(file_->file.descriptor(), offset + size, kLastReadAhead);
    }
  }
  *bytes = window_.data() + (offset - window_offset_);
  return true;
}

bool BlockReader::ReadStored(const char* what, const BlockHandle& handle, const char** stored,
                             std::string* error) {
  const uint64_t end = file_->footer.offset;
  if (handle.offset > end || handle.size > end - handle.offset ||
      kBlockTrailerBytes > end - handle.offset - handle.size) {
    return file_->Damaged(error, what, handle.offset, "its ", handle.size,
                          " bytes go beyond the footer at offset ", end);
  }
  // Both engines keep offsets in blocks in 32 bits. Larger sizes come from damage, and in a large
  // file one could demand all of the memory.
  constexpr uint64_t kMaxStoredBytes = uint64_t{1} << 32;
  if (handle.size > kMaxStoredBytes) {
    return file_->Damaged(error, what, handle.offset, "it has ", handle.size,
                          " bytes; allowed: at most ", kMaxStoredBytes);
  }
  return Window(handle.offset, handle.size + kBlockTrailerBytes, stored, error);
}

bool BlockReader::HasRightChecksum(const char* stored, const BlockHandle& handle) const {
  // RocksDB writes 0 for ChecksumType::kNone, and compares it.
  const Footer& footer = file_->footer;
  return LoadLittleEndian32(stored + handle.size + 1) ==
         Checksum(footer.checksum, stored, static_cast<size_t>(handle.size + 1)) +
             ChecksumContext(footer.base_context_checksum, handle.offset);
}

bool BlockReader::Read(const char* what, const BlockHandle& handle, std::string_view* contents,
                       std::string* error) {
  const char* stored;
  if (!ReadStored(what, handle, &stored, error)) return false;
  if (file_->verify_checksums && !HasRightChecksum(stored, handle)) {
    return file_->Damaged(error, what, handle.offset, "its checksum is wrong");
  }
  const auto type = static_cast<uint8_t>(stored[handle.size]);
  stored_ = std::string_view(stored, static_cast<size_t>(handle.size + kBlockTrailerBytes));
  *contents = stored_.substr(0, static_cast<size_t>(handle.size));
  if (type == static_cast<uint8_t>(Compression::kNone)) return true;
  std::string problem;
  return decompressor_.Decompress(type, *contents, &decompressed_, contents, &problem) ||
         file_->Damaged(error, what, handle.offset, "it ", problem);
}

}  // namespace bloomline::tables
