// The records of a MANIFEST, each of which adds and removes tables (manifest.h).
#include <utility>

#include "src/db/directory/manifest.h"
#include "src/db/sstable/bytes/coding.h"

namespace bloomline::directory {
namespace {

using sstable::TakeVarint;

enum Tag : uint32_t {
  kComparator = 1,
  kLogNumber = 2,
  kNextFileNumber = 3,
  kLastSequence = 4,
  kCompactPointer = 5,
  kDeletedFile = 6,
  kNewFile = 7,
  kPrevLogNumber = 9,
  // RocksDB's
  kMinLogNumberToKeep = 10,
  kNewFile2 = 100,
  kNewFile3 = 102,
  kNewFile4 = 103,
  kColumnFamily = 200,
  kColumnFamilyAdd = 201,
  kColumnFamilyDrop = 202,
  kMaxColumnFamily = 203,
  kInAtomicGroup = 300,
  kBlobFileAddition = 400,
  kBlobFileGarbage = 401,
  // From here on a length follows, so that readers can skip what they do not know. These four, of
  // RocksDB 6.12 to 6.18, have none.
  kSafeIgnoreMask = 1 << 13,
  kOldBlobFileAddition = kSafeIgnoreMask + 2,
  kOldBlobFileGarbage = kSafeIgnoreMask + 3,
  kOldWalAddition = kSafeIgnoreMask + 4,
  kOldWalDeletion = kSafeIgnoreMask + 5,
};

// Fields of kNewFile4.
constexpr uint32_t kLastField = 1;
constexpr uint32_t kFieldMustBeKnown = 1 << 6;
constexpr uint32_t kPathId = kFieldMustBeKnown + 1;  // not needed: folders are looked through
// Fields of a blob file.
constexpr uint32_t kLastBlobField = 0;
// Fields of an old WAL addition.
constexpr uint32_t kLastWalField = 1;
constexpr uint32_t kSyncedSize = 2;

// RocksDB's default is 7 levels, LevelDB's only number. More than this is damage.
constexpr uint32_t kMaxLevels = 256;
constexpr size_t kSequenceAndTypeBytes = 8;

bool GetLengthPrefixed(std::string_view* input, std::string_view* value) {
  uint32_t size;
  if (!TakeVarint(input, &size) || size > input->size()) return false;
  *value = input->substr(0, size);
  input->remove_prefix(size);
  return true;
}

class Decoder {
 public:
  Decoder(std::string_view record, VersionEdit* edit) : input_(record), edit_(edit) {}

  EditError Decode(std::string* what) {
    uint32_t tag;
    while (!input_.empty()) {
      if (!TakeVarint(&input_, &tag)) return Damaged("a tag", what);
      if (tag >= kMinLogNumberToKeep) edit_->has_rocksdb_tags = true;
      const char* field = "";
      if (!DecodeField(tag, &field)) {
        if (unknown_.empty()) return Damaged(field, what);
        *what = unknown_;
        return EditError::kNewerVersion;
      }
    }
    return EditError::kNone;
  }

 private:
  static EditError Damaged(const char* field, std::string* what) {
    *what = field;
    return EditError::kDamaged;
  }

  bool Unknown(const char* kind, uint32_t tag) {
    unknown_ = kind + std::to_string(tag);
    return false;
  }

  bool SkipVarint32() {
    uint32_t skipped;
    return TakeVarint(&input_, &skipped);
  }
  bool SkipVarint64() {
    uint64_t skipped;
    return TakeVarint(&input_, &skipped);
  }
  bool SkipBytes() {
    std::string_view skipped;
    return GetLengthPrefixed(&input_, &skipped);
  }

  bool GetLevel(int* level) {
    uint32_t value;
    if (!TakeVarint(&input_, &value) || value >= kMaxLevels) return false;
    *level = static_cast<int>(value);
    return true;
  }

  bool GetUserKey(std::string* key) {
    std::string_view bytes;
    if (!GetLengthPrefixed(&input_, &bytes) || bytes.size() < kSequenceAndTypeBytes) return false;
    bytes.remove_suffix(kSequenceAndTypeBytes);
    key->assign(bytes);
    return true;
  }

  bool GetString(std::string* text) {
    std::string_view bytes;
    if (!GetLengthPrefixed(&input_, &bytes)) return false;
    text->assign(bytes);
    return true;
  }

  bool DecodeField(uint32_t tag, const char** field) {
    switch (tag) {
      case kComparator:
        *field = "the comparator's name";
        return GetString(&edit_->comparator.emplace());
      case kLogNumber:
      case kNextFileNumber:
      case kLastSequence:
      case kPrevLogNumber:
      case kMinLogNumberToKeep:
        *field = "a number";
        return SkipVarint64();
      case kCompactPointer: {
        *field = "a compaction pointer";
        int level;
        return GetLevel(&level) && SkipBytes();
      }
      case kDeletedFile: {
        *field = "a deleted file";
        DeletedFile file;
        if (!GetLevel(&file.level) || !TakeVarint(&input_, &file.number)) return false;
        edit_->deleted_files.push_back(file);
        return true;
      }
      case kNewFile:
      case kNewFile2:
      case kNewFile3:
      case kNewFile4:
        *field = "a new file";
        return DecodeNewFile(tag);
      case kColumnFamily:
        *field = "the column family's number";
        return TakeVarint(&input_, &edit_->column_family);
      case kColumnFamilyAdd:
        *field = "the column family's name";
        edit_->adds_column_family = true;
        return GetString(&edit_->column_family_name);
      case kColumnFamilyDrop:
        edit_->drops_column_family = true;
        return true;
      case kMaxColumnFamily:
        *field = "the last column family";
        return SkipVarint32();
      case kInAtomicGroup:
        *field = "an atomic group";
        return TakeVarint(&input_, &edit_->remaining_in_group.emplace());
      case kBlobFileAddition:
      case kOldBlobFileAddition:
        *field = "a blob file";
        return SkipVarint64() && SkipVarint64() && SkipVarint64() && SkipBytes() && SkipBytes() &&
               SkipFields(kLastBlobField);
      case kBlobFileGarbage:
      case kOldBlobFileGarbage:
        *field = "the garbage of a blob file";
        return SkipVarint64() && SkipVarint64() && SkipVarint64() && SkipFields(kLastBlobField);
      case kOldWalAddition:
        *field = "a log";
        return SkipVarint64() && SkipWalFields();
      case kOldWalDeletion:
        *field = "a deleted log";
        return SkipVarint64();
      default:
        *field = "a field that can be skipped";
        return tag & kSafeIgnoreMask ? SkipBytes() : Unknown("tag ", tag);
    }
  }

  bool DecodeNewFile(uint32_t tag) {
    LiveFile file;
    if (!GetLevel(&file.level) || !TakeVarint(&input_, &file.number)) return false;
    if (tag == kNewFile3 && !SkipVarint32()) return false;  // kPathId
    if (!TakeVarint(&input_, &file.bytes) || !GetUserKey(&file.smallest_key) ||
        !GetUserKey(&file.largest_key)) {
      return false;
    }
    const bool has_sequences = tag != kNewFile;
    if (has_sequences && (!SkipVarint64() || !SkipVarint64())) return false;
    if (tag == kNewFile4 && !SkipFields(kLastField)) return false;
    edit_->new_files.push_back(std::move(file));
    return true;
  }

  // Each field has a number and a length.
  bool SkipFields(uint32_t last) {
    while (true) {
      uint32_t field;
      if (!TakeVarint(&input_, &field)) return false;
      if (field == last) return true;
      if (field & kFieldMustBeKnown && field != kPathId) return Unknown("field ", field);
      if (!SkipBytes()) return false;
    }
  }

  bool SkipWalFields() {
    while (true) {
      uint32_t field;
      if (!TakeVarint(&input_, &field)) return false;
      if (field == kLastWalField) return true;
      if (field != kSyncedSize) return Unknown("field ", field);
      if (!SkipVarint64()) return false;
    }
  }

  std::string_view input_;
  VersionEdit* const edit_;
  std::string unknown_;
};

}  // namespace

EditError DecodeVersionEdit(std::string_view record, VersionEdit* edit, std::string* what) {
  *edit = VersionEdit();
  return Decoder(record, edit).Decode(what);
}

}  // namespace bloomline::directory
