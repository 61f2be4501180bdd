#include "src/db/directory/record_log.h"

#include <algorithm>

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
  has_checksums_ = false;
  const uint64_t left = file_.size() - block_offset_;
  block_.resize(static_cast<size_t>(std::min<uint64_t>(left, kBlockBytes)));
  if (block_.empty()) return false;
  if (file_.ReadAt(block_offset_, block_.size(), block_.data(), &error_)) return true;
  block_.clear();
  return false;
}

uint32_t RecordLog::ChecksumOf(size_t begin, size_t end) {
  if (has_checksums_) return checksums_.Of(begin, end);
  num_bytes_checked_ += end - begin;
  return sstable::Crc32c(block_.data() + begin, end - begin);
}

RecordLog::Header RecordLog::ParseAt(size_t position, Fragment* fragment) {
  const char* const header = block_.data() + position;
  const size_t length = sstable::LoadLittleEndian16(header + 4);
  fragment->type = static_cast<unsigned char>(header[kTypeOffset]);
  fragment->offset = block_offset_ + position;
  if (fragment->type == kZero && length == 0) return Header::kZeros;
  const size_t extra = HasLogNumber(fragment->type) ? kLogNumberBytes : 0;
  if (length + extra > block_.size() - position - kHeaderBytes) return Header::kTooLong;
  const uint32_t crc = ChecksumOf(position + kTypeOffset, position + kHeaderBytes + extra + length);
  if (sstable::MaskCrc32c(crc) != sstable::LoadLittleEndian32(header)) return Header::kBadChecksum;
  fragment->payload = std::string_view(header + kHeaderBytes + extra, length);
  return Header::kGood;
}

// The next fragment of a known type with the right checksum, anywhere behind *position.
bool RecordLog::FindFragment(size_t* position) {
  if (!has_checksums_) {
    checksums_.Read(block_);
    has_checksums_ = true;
    num_bytes_checked_ += block_.size();
  }
  Fragment fragment;
  for (size_t i = *position + 1; i + kHeaderBytes <= block_.size(); ++i) {
    const int type = static_cast<unsigned char>(block_[i + kTypeOffset]);
    if (type < kFull || type > kRecyclableLast) continue;  // spares most checksums
    if (ParseAt(i, &fragment) == Header::kGood) {
      *position = i;
      return true;
    }
  }
  return false;
}

void RecordLog::AddDamage(uint64_t offset) {
  if (num_damaged_++ == 0) first_damage_ = offset;
  has_suspect_ = false;
  in_record_ = false;
  after_damage_ = true;
}

bool RecordLog::NextFragment(Fragment* fragment) {
  while (true) {
    if (block_.size() - position_ < kHeaderBytes) {
      if (!ReadBlock()) return false;
      continue;
    }
    const Header header = ParseAt(position_, fragment);
    if (header == Header::kGood) {
      if (has_suspect_) AddDamage(suspect_);
      position_ += static_cast<size_t>(fragment->payload.data() + fragment->payload.size() -
                                       (block_.data() + position_));
      return true;
    }
    const bool at_end = block_offset_ + block_.size() == file_.size();
    const bool is_torn = header == Header::kZeros || (header == Header::kTooLong && at_end);
    const bool rest_is_zeros = IsZeros(std::string_view(block_).substr(position_));
    if (!has_suspect_) {
      has_suspect_ = true;
      suspect_ = fragment->offset;
    }
    if (!rest_is_zeros && FindFragment(&position_)) continue;
    if (has_suspect_ && !is_torn && !rest_is_zeros) AddDamage(suspect_);
    position_ = block_.size();
  }
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
    if (begins && in_record_ && !record_.empty()) AddDamage(record_offset_);
    if (!begins && !in_record_) {
      if (!after_damage_) AddDamage(fragment.offset);
      continue;
    }
    if (begins) {
      record_.clear();
      record_offset_ = fragment.offset;
      after_damage_ = false;
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
