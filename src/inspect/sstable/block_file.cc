#include "src/inspect/sstable/block_file.h"

#include <fcntl.h>

#include <algorithm>

#include "src/inspect/sstable/bytes/coding.h"

namespace bloomline::sstable {
namespace {

// Sequential reads double from the first size to the last one: a caller that wants a few blocks of
// each file does not pay for a megabyte.
constexpr uint64_t kFirstReadAhead = 64 << 10;
constexpr uint64_t kLastReadAhead = 1 << 20;

// Both engines keep offsets in blocks in 32 bits. Larger ones come from damage, and in a large file
// one could ask for all of the memory.
constexpr uint64_t kMaxStoredBytes = uint64_t{1} << 32;

}  // namespace

bool BlockFile::Damaged(const char* what, uint64_t offset, std::string_view problem,
                        std::string* error) const {
  *error = file.name() + ": " + what + " at offset " + std::to_string(offset) + ": ";
  error->append(problem);
  return false;
}

bool BlockReader::PrefetchTail(uint64_t n, std::string_view* tail, std::string* error) {
  const uint64_t size = file_->file.size();
  const uint64_t offset = size - std::min(n, size);
  const char* bytes;
  if (!Window(offset, size - offset, &bytes, error)) return false;
  *tail = std::string_view(bytes, size - offset);
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
    if (!window_.Reserve(size)) {
      *error = file_->file.name() + ": there is no memory for " + std::to_string(size) +
               " bytes at offset " + std::to_string(offset);
      return false;
    }
    if (!file_->file.ReadAt(offset, size, window_.data(), error)) return false;
    window_offset_ = offset;
    window_size_ = size;
    if (access_ == Access::kSequential && read_ahead_ == kLastReadAhead) {
      // The disk reads on while these blocks are decoded. Only advice: a failure costs time.
      posix_fadvise(file_->file.descriptor(), static_cast<off_t>(offset + size),
                    static_cast<off_t>(kLastReadAhead), POSIX_FADV_WILLNEED);
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
    return file_->Damaged(what, handle.offset,
                          "its " + std::to_string(handle.size) +
                              " bytes go beyond the footer at offset " + std::to_string(end),
                          error);
  }
  if (handle.size > kMaxStoredBytes) {
    return file_->Damaged(what, handle.offset,
                          "it has " + std::to_string(handle.size) + " bytes; allowed: at most " +
                              std::to_string(kMaxStoredBytes),
                          error);
  }
  return Window(handle.offset, handle.size + kBlockTrailerBytes, stored, error);
}

bool BlockReader::HasRightChecksum(const char* stored, const BlockHandle& handle) const {
  // RocksDB writes 0 for ChecksumType::kNone, and compares it.
  const Footer& footer = file_->footer;
  return LoadLittleEndian32(stored + handle.size + 1) ==
         Checksum(footer.checksum, stored, handle.size + 1) +
             ChecksumContext(footer.base_context_checksum, handle.offset);
}

bool BlockReader::Read(const char* what, const BlockHandle& handle, std::string_view* contents,
                       std::string* error) {
  const char* stored;
  if (!ReadStored(what, handle, &stored, error)) return false;
  if (file_->verify_checksums && !HasRightChecksum(stored, handle)) {
    return file_->Damaged(what, handle.offset, "its checksum is wrong", error);
  }
  const auto type = static_cast<uint8_t>(stored[handle.size]);
  *contents = std::string_view(stored, handle.size);
  if (type == static_cast<uint8_t>(Compression::kNone)) return true;
  std::string problem;
  return decompressor_.Decompress(type, *contents, &decompressed_, contents, &problem) ||
         file_->Damaged(what, handle.offset, "it " + problem, error);
}

}  // namespace bloomline::sstable
