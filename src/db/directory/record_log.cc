#include "src/db/directory/record_log.h"

#include <algorithm>

#include "src/db/sstable/bytes/checksum.h"
#include "src/db/sstable/bytes/coding.h"

namespace bloomline::directory {
namespace {

constexpr size_t kBlockBytes = 32768;
constexpr size_t kHeaderBytes = 7;
constexpr size_t kTypeOffset = 6;  // where the bytes begin that the checksum covers
constexpr size_t kLogNumberBytes = 4;

enum Type : int {
  kZero = 0,
  kFull = 1,
  kFirst = 2,
  kMiddle = 3,
  kLast = 4,
  kRecyclableFull = 5,
  kRecyclableLast = 8,
  kRecyclableTimestampSize = 11,
  kIgnorable = 1 << 7,  // RocksDB skips such types if it does not know them
  kRecyclableWalInfo = 131,
};

bool HasLogNumber(int type) {
  return (type >= kRecyclableFull && type <= kRecyclableLast) || type == kRecyclableTimestampSize ||
         type == kRecyclableWalInfo;
}

bool IsZeros(std::string_view bytes) { return bytes.find_first_not_of('\0') == bytes.npos; }

}  // namespace

bool RecordLog::ReadBlock() {
  block_offset_ += block_.size();
  position_ = 0;
  const uint64_t left = file_.size() - block_offset_;
  block_.resize(static_cast<size_t>(std::min<uint64_t>(left, kBlockBytes)));
  if (block_.empty()) return false;
  if (file_.ReadAt(block_offset_, block_.size(), block_.data(), &error_)) return true;
  block_.clear();
  return false;
}

bool RecordLog::Damaged(uint64_t offset, const std::string& what) {
  error_ = file_.name() + ": is damaged: the record at offset " + std::to_string(offset) + " " +
           what + "; which tables are live is unknown";
  return false;
}

RecordLog::Header RecordLog::ParseAt(size_t position, Fragment* fragment) const {
  const char* const header = block_.data() + position;
  const size_t length = sstable::LoadLittleEndian16(header + 4);
  fragment->type = static_cast<unsigned char>(header[kTypeOffset]);
  fragment->offset = block_offset_ + position;
  if (fragment->type == kZero && length == 0) return Header::kZeros;
  const size_t extra = HasLogNumber(fragment->type) ? kLogNumberBytes : 0;
  if (length + extra > block_.size() - position - kHeaderBytes) return Header::kTooLong;
  const uint32_t crc = sstable::Crc32c(header + kTypeOffset, 1 + extra + length);
  if (sstable::MaskCrc32c(crc) != sstable::LoadLittleEndian32(header)) return Header::kBadChecksum;
  fragment->payload = std::string_view(header + kHeaderBytes + extra, length);
  return Header::kGood;
}

// Whether the last block has a whole fragment anywhere behind its position. Then it is damage that
// makes the fragment at the position look as if the file ended in it.
bool RecordLog::HasFragmentBehind() const {
  Fragment fragment;
  for (size_t i = position_ + 1; i + kHeaderBytes <= block_.size(); ++i) {
    const int type = static_cast<unsigned char>(block_[i + kTypeOffset]);
    if (type < kFull || type > kRecyclableLast) continue;  // spares most checksums
    if (ParseAt(i, &fragment) == Header::kGood) return true;
  }
  return false;
}

bool RecordLog::NextFragment(Fragment* fragment) {
  while (block_.size() - position_ < kHeaderBytes) {
    if (!ReadBlock()) return false;
  }
  const Header header = ParseAt(position_, fragment);
  if (header == Header::kGood) {
    position_ =
        static_cast<size_t>(fragment->payload.data() + fragment->payload.size() - block_.data());
    return true;
  }
  if (header == Header::kZeros) {
    do {
      if (!IsZeros(std::string_view(block_).substr(position_))) {
        return Damaged(fragment->offset, "is zeros, and others follow");
      }
    } while (ReadBlock());
    return false;
  }
  if (header == Header::kBadChecksum) return Damaged(fragment->offset, "has a wrong checksum");
  const bool is_last_block = block_offset_ + block_.size() == file_.size();
  if (is_last_block && !HasFragmentBehind()) return false;
  return Damaged(fragment->offset, "is longer than its block");
}

bool RecordLog::Next(std::string_view* record) {
  Fragment fragment;
  while (NextFragment(&fragment)) {
    int type = fragment.type;
    if (type >= kRecyclableFull && type <= kRecyclableLast) type -= kRecyclableFull - kFull;
    const bool begins = type == kFull || type == kFirst;
    if (!begins && type != kMiddle && type != kLast) {
      if (type & kIgnorable) continue;
      error_ = file_.name() + ": a record at offset " + std::to_string(fragment.offset) +
               " is of type " + std::to_string(type) + "; allowed: 1 to 8";
      return false;
    }
    // Old writers left an empty kFirst at the end of a block.
    if (begins && in_record_ && !record_.empty()) return Damaged(record_offset_, "has no end");
    if (!begins && !in_record_) return Damaged(fragment.offset, "has no beginning");
    if (begins) {
      record_.clear();
      record_offset_ = fragment.offset;
    }
    in_record_ = type != kFull && type != kLast;
    if (type == kFull) {
      *record = fragment.payload;
      return true;
    }
    record_.append(fragment.payload);
    if (type == kLast) {
      *record = record_;
      return true;
    }
  }
  return false;
}

}  // namespace bloomline::directory
