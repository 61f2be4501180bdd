#include "src/db/tree/manifest.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "src/db/tables/bytes/checksum.h"
#include "src/db/tables/bytes/coding.h"
#include "src/support/file_io.h"
#include "src/support/number_text.h"

namespace bloomline::tree {
namespace {

using support::Refuse;

constexpr size_t kBlockBytes = 32768;
constexpr size_t kHeaderBytes = 7;
constexpr size_t kTypeOffset = 6;  // where the bytes begin that the checksum covers

enum Type : int {
  kZero = 0,
  kFull = 1,
  kFirst = 2,
  kMiddle = 3,
  kLast = 4,            // later types occur in recycled logs, and a MANIFEST is never recycled
  kIgnorable = 1 << 7,  // RocksDB skips such types if it does not know them
};

constexpr char kLiveIsUnknown[] = "; which tables are live is unknown";

// Reads the records of a MANIFEST: LevelDB's log format (doc/log_format.md), with RocksDB's types
// (db/log_format.h). Reads block by block, up to the end that the file had when it was opened.
//
//   block:  32 KiB of fragments; fewer than 7 bytes at its end are filled with zeros
//   fragment:  masked CRC-32C (4) length (2) type (1) payload
class RecordLog {
 public:
  bool Open(const std::string& path, std::string* error) { return file_.Open(path, error); }

  // Reads the next whole record, valid until the next call. Returns false at the end, and if the
  // rest cannot be read: then error() is not empty.
  //
  // A fragment that the file does not hold in full is the end: the owner is writing it, or died
  // while it did. Zeros up to the end of the file are the end, too. Any other error is damage.
  bool Next(std::string_view* record) {
    Fragment fragment;
    while (NextFragment(&fragment)) {
      const int type = fragment.type;
      const bool begins = type == kFull || type == kFirst;
      if (!begins && type != kMiddle && type != kLast) {
        if (type & kIgnorable) continue;
        return Damaged(fragment.offset, "is of type ", type, ", not 1 to 4");
      }
      // Old writers left an empty kFirst at the end of a block.
      if (begins && in_record_ && !record_.empty()) return Damaged(record_offset_, "has no end");
      if (!begins && !in_record_) return Damaged(fragment.offset, "has no beginning");
      if (begins) {
        record_.clear();
        record_offset_ = fragment.offset;
      }
      in_record_ = type != kFull && type != kLast;
      record_.append(fragment.payload);
      if (in_record_) continue;
      *record = record_;
      return true;
    }
    return false;
  }

  const std::string& error() const { return error_; }
  uint64_t record_offset() const { return record_offset_; }        // of the last record
  uint64_t position() const { return block_offset_ + position_; }  // the end of the last record
  uint64_t size() const { return file_.size(); }                   // of the file when it was opened

 private:
  struct Fragment {
    int type;
    std::string_view payload;
    uint64_t offset;
  };
  enum class Header { kGood, kZeros, kTooLong, kBadChecksum };

  bool ReadBlock() {
    block_offset_ += block_.size();
    position_ = 0;
    const uint64_t left = file_.size() - block_offset_;
    block_.resize(static_cast<size_t>(std::min<uint64_t>(left, kBlockBytes)));
    if (block_.empty()) return false;
    if (file_.ReadAt(block_offset_, block_.size(), block_.data(), &error_)) return true;
    block_.clear();
    return false;
  }

  template <typename... Parts>
  bool Damaged(uint64_t offset, const Parts&... problem) {
    return Refuse(&error_, file_.name(), ": the record at offset ", offset, " ", problem...,
                  kLiveIsUnknown);
  }

  Header ParseAt(size_t position, Fragment* fragment) const {
    const char* const header = block_.data() + position;
    const size_t length = tables::LoadLittleEndian16(header + 4);
    fragment->type = static_cast<unsigned char>(header[kTypeOffset]);
    fragment->offset = block_offset_ + position;
    if (fragment->type == kZero && length == 0) return Header::kZeros;
    if (length > block_.size() - position - kHeaderBytes) return Header::kTooLong;
    const uint32_t crc = tables::Crc32c(header + kTypeOffset, 1 + length);
    if (tables::MaskCrc32c(crc) != tables::LoadLittleEndian32(header)) return Header::kBadChecksum;
    fragment->payload = std::string_view(header + kHeaderBytes, length);
    return Header::kGood;
  }

  // Whether the last block has a whole fragment anywhere behind position_. If so, the fragment at
  // position_ is damaged: it only looks as if the file ended in it.
  bool HasFragmentBehind() const {
    Fragment fragment;
    for (size_t i = position_ + 1; i + kHeaderBytes <= block_.size(); ++i) {
      const int type = static_cast<unsigned char>(block_[i + kTypeOffset]);
      if (type < kFull || type > kLast) continue;  // avoids most checksums
      if (ParseAt(i, &fragment) == Header::kGood) return true;
    }
    return false;
  }

  bool NextFragment(Fragment* fragment) {
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
        if (block_.find_first_not_of('\0', position_) != block_.npos) {
          return Damaged(fragment->offset, "is zeros, and other records follow");
        }
      } while (ReadBlock());
      return false;
    }
    if (header == Header::kBadChecksum) return Damaged(fragment->offset, "has a wrong checksum");
    const bool is_last_block = block_offset_ + block_.size() == file_.size();
    if (is_last_block && !HasFragmentBehind()) return false;
    return Damaged(fragment->offset, "is longer than its block");
  }

  support::InputFile file_;
  std::string block_;
  uint64_t block_offset_ = 0;
  size_t position_ = 0;  // in the block
  std::string record_;
  uint64_t record_offset_ = 0;
  bool in_record_ = false;
  std::string error_;
};

// Whether two records of LevelDB say the same of a table. RocksDB refuses both.
bool IsSame(const TableFile& a, const TableFile& b) {
  return a.stored.is_leveldb && b.stored.is_leveldb && a.level == b.level && a.bytes == b.bytes &&
         a.stored.keys == b.stored.keys;
}

}  // namespace

bool LiveFiles::Apply(VersionEdit&& edit, std::string* problem) {
  has_rocksdb_tags_ = has_rocksdb_tags_ || edit.has_rocksdb_tags;
  has_previous_log_ = has_previous_log_ || edit.has_previous_log;
  const uint64_t left = edit.remaining_in_group.value_or(0);
  if (!group_.empty() &&
      (!edit.remaining_in_group || left + 1 != *group_.back().remaining_in_group)) {
    return Refuse(problem, "is not the next one of its atomic group, of which ",
                  *group_.back().remaining_in_group, " must follow");
  }
  group_.push_back(std::move(edit));
  if (left != 0) return true;
  for (VersionEdit& one : std::exchange(group_, {})) {
    if (!ApplyOne(std::move(one), problem)) return false;
  }
  return true;
}

bool LiveFiles::ApplyOne(VersionEdit&& edit, std::string* problem) {
  const uint32_t id = edit.column_family;
  for (size_t i = 0; i < numbers_.size(); ++i) {
    if (edit.numbers[i]) numbers_[i] = edit.numbers[i];
  }
  if (edit.adds_column_family) {
    LiveFamily added;
    added.family.id = id;
    added.family.name = std::move(edit.column_family_name);
    if (!families_.try_emplace(id, std::move(added)).second) {
      return Refuse(problem, "adds column family ", id, ", which is there already");
    }
  }
  const auto found = families_.find(id);
  if (found == families_.end()) {
    return Refuse(problem, "changes column family ", id, ", which is not there");
  }
  if (edit.drops_column_family) {
    if (id == 0) return Refuse(problem, "drops column family 0, which RocksDB never does");
    families_.erase(found);
    return true;
  }
  LiveFamily& live = found->second;
  live.first_log = edit.numbers[0].value_or(live.first_log);
  if (edit.comparator) live.family.comparator = std::move(*edit.comparator);
  // First the deleted files: a file that moves to another level is in both lists.
  for (const DeletedFile& deleted : edit.deleted_files) {
    const auto file = live.files.find(deleted.number);
    if (file == live.files.end() || file->second.level != deleted.level) {
      return Refuse(problem, "deletes table ", deleted.number, " of level ", deleted.level,
                    ", which is not there");
    }
    live.files.erase(file);
  }
  std::set<uint64_t> added;
  for (TableFile& file : edit.new_files) {
    const uint64_t number = file.number;
    const auto [there, is_new] = live.files.try_emplace(number, std::move(file));
    // goleveldb adds a table that it made of a log twice.
    const bool is_repeated = !added.insert(number).second && IsSame(there->second, file);
    if (!is_new && !is_repeated) {
      return Refuse(problem, "adds table ", number, ", which is there already");
    }
  }
  return true;
}

bool ReadManifest(const std::string& path, LiveFiles* live, std::string* error, uint64_t* end) {
  RecordLog log;
  if (!log.Open(path, error)) return false;
  std::string_view record;
  VersionEdit edit;
  std::string problem;
  while (log.Next(&record)) {
    if (!DecodeVersionEdit(record, &edit, &problem) || !live->Apply(std::move(edit), &problem)) {
      return Refuse(error, path, ": the record at offset ", log.record_offset(), " ", problem,
                    kLiveIsUnknown);
    }
    if (end != nullptr && !live->is_in_group()) *end = log.position();
  }
  if (!log.error().empty()) {
    *error = log.error();
    return false;
  }
  for (size_t i = 0; i < std::size(kNumbers); ++i) {
    if (live->numbers()[i]) continue;
    return Refuse(error, path, ": has no ", kNumbers[i], " in its ", log.size(),
                  " bytes, so its end is missing", kLiveIsUnknown);
  }
  return true;
}

void AppendRecord(uint64_t offset, std::string_view record, std::string* log) {
  bool is_first = true;
  bool is_last = false;
  while (!is_last) {
    size_t left = kBlockBytes - static_cast<size_t>((offset + log->size()) % kBlockBytes);
    if (left < kHeaderBytes) {
      log->append(left, '\0');
      left = kBlockBytes;
    }
    const std::string_view piece = record.substr(0, left - kHeaderBytes);
    record.remove_prefix(piece.size());
    is_last = record.empty();
    int type = kMiddle;
    if (is_first) type = is_last ? kFull : kFirst;
    if (!is_first && is_last) type = kLast;
    std::string body(1, static_cast<char>(type));
    body += piece;
    tables::AppendFixed32(tables::MaskCrc32c(tables::Crc32c(body.data(), body.size())), log);
    *log += static_cast<char>(piece.size());
    *log += static_cast<char>(piece.size() >> 8);
    *log += body;
    is_first = false;
  }
}

}  // namespace bloomline::tree
