#include "src/db/tree/version_edit.h"

#include <algorithm>

#include "src/db/tables/bytes/coding.h"
#include "src/support/number_text.h"

namespace bloomline::tree {
namespace {

using support::Refuse;
using tables::AppendVarint;
using tables::TakeBytes;
using tables::TakeVarint;

constexpr char kWrongBytes[] = "has wrong bytes in ";
constexpr char kUnknown[] =
    ", which this program does not know: another version or engine wrote it";

// The tags whose values are used. RocksDB's own begin at 10.
enum Tag : uint32_t {
  kComparator = 1,
  kLogNumber = 2,  // the first of kNumbers; the others follow
  kLastSequence = 4,
  kDeletedFile = 6,
  kNewFile = 7,
  kPreviousLog = 9,
  kFirstOfRocksDB = 10,
  kNewFile2 = 100,
  kNewFile3 = 102,
  kNewFile4 = 103,
  kColumnFamily = 200,
  kColumnFamilyAdd = 201,
  kColumnFamilyDrop = 202,
  kInAtomicGroup = 300,
  // From here on a length follows, so that readers can skip what they do not know. The exceptions
  // are four tags of RocksDB 6.12 to 6.18.
  kSafeIgnoreMask = 1 << 13,
  kFirstWithoutLength = kSafeIgnoreMask + 2,
  kLastWithoutLength = kSafeIgnoreMask + 5,
};

struct Field {
  uint32_t tag;
  const char* name;
  // One letter for each part: n and i, a number of 64 and of 32 bits; l, a level; b, bytes after
  // their length; k, the same for a key with sequence number and type; f and g, fields of a file
  // and of a blob file; p, a path's number: readers search the folders instead.
  const char* parts;
};
constexpr Field kFields[] = {
    {kComparator, "the comparator's name", "b"},
    {kLogNumber, "a number", "n"},
    {3, "a number", "n"},  // the next file's number
    {kLastSequence, "a number", "n"},
    {5, "a compaction pointer", "lb"},
    {kDeletedFile, "a deleted file", "ln"},
    {kNewFile, "a new file", "lnnkk"},
    {kPreviousLog, "a number", "n"},
    {10, "a number", "n"},  // the number of the first log to keep
    {kNewFile2, "a new file", "lnnkknn"},
    {kNewFile3, "a new file", "lnpnkknn"},
    {kNewFile4, "a new file", "lnnkknnf"},
    {kColumnFamily, "the column family's number", "i"},
    {kColumnFamilyAdd, "the column family's name", "b"},
    {kColumnFamilyDrop, "", ""},
    {203, "the last column family", "i"},
    {kInAtomicGroup, "an atomic group", "i"},
    {400, "a blob file", "nnnbbg"},
    {401, "the garbage of a blob file", "nnng"},
};
constexpr Field kSkipped = {kSafeIgnoreMask, "a field that can be skipped", "b"};

// Fields of kNewFile4.
constexpr uint32_t kFieldMustBeKnown = 1 << 6;
constexpr uint32_t kPathId = kFieldMustBeKnown + 1;
// Fields of a blob file.
constexpr uint32_t kLastBlobField = 0;

// LevelDB always has 7 levels, and RocksDB by default. More levels than this are damage.
constexpr uint32_t kMaxLevels = 256;
constexpr size_t kSequenceAndTypeBytes = 8;

class Decoder {
 public:
  Decoder(std::string_view record, VersionEdit* edit) : input_(record), edit_(edit) {}

  bool Decode(std::string* problem) {
    while (!input_.empty()) {
      uint32_t tag;
      if (!TakeVarint(&input_, &tag)) return Refuse(problem, kWrongBytes, "a tag");
      if (tag >= kFirstOfRocksDB) edit_->has_rocksdb_tags = true;
      if (tag == kPreviousLog) edit_->has_previous_log = true;
      const Field* field = std::find_if(std::begin(kFields), std::end(kFields),
                                        [&](const Field& row) { return row.tag == tag; });
      if (field == std::end(kFields)) {
        const bool has_length =
            (tag & kSafeIgnoreMask) != 0 && (tag < kFirstWithoutLength || tag > kLastWithoutLength);
        if (!has_length) return Refuse(problem, "has tag ", tag, kUnknown);
        field = &kSkipped;
      }
      numbers_.clear();
      texts_.clear();
      path_ = 0;
      for (const char* part = field->parts; *part != '\0'; ++part) {
        if (Take(*part)) continue;
        return unknown_field_ != 0 ? Refuse(problem, "has field ", unknown_field_, kUnknown)
                                   : Refuse(problem, kWrongBytes, field->name);
      }
      Apply(tag);
    }
    return true;
  }

 private:
  void Apply(uint32_t tag) {
    switch (tag) {
      case kComparator:
        edit_->comparator.emplace(texts_[0]);
        break;
      case kDeletedFile:
        edit_->deleted_files.push_back({static_cast<int>(numbers_[0]), numbers_[1]});
        break;
      case kNewFile:
      case kNewFile2:
      case kNewFile3:
      case kNewFile4:
        edit_->new_files.push_back({"", numbers_[1], numbers_[2], static_cast<int>(numbers_[0]), 0,
                                    std::string(texts_[0]), std::string(texts_[1]),
                                    StoredParts(tag)});
        break;
      case kColumnFamily:
        edit_->column_family = static_cast<uint32_t>(numbers_[0]);
        break;
      case kColumnFamilyAdd:
        edit_->adds_column_family = true;
        edit_->column_family_name = texts_[0];
        break;
      case kColumnFamilyDrop:
        edit_->drops_column_family = true;
        break;
      case kInAtomicGroup:
        edit_->remaining_in_group = static_cast<uint32_t>(numbers_[0]);
        break;
      default:
        if (tag >= kLogNumber && tag <= kLastSequence)
          edit_->numbers[tag - kLogNumber] = numbers_[0];
        break;
    }
  }

  StoredFile StoredParts(uint32_t tag) const {
    const std::string_view fields = tag == kNewFile4 ? fields_ : input_;
    return {tag == kNewFile, path_, std::string(keys_.substr(0, keys_.size() - fields.size())),
            std::string(fields.substr(0, fields.size() - input_.size()))};
  }

  bool Take(char part) {
    switch (part) {
      case 'n':
        return TakeVarint(&input_, &numbers_.emplace_back());
      case 'i':
      case 'l': {
        uint32_t number;
        if (!TakeVarint(&input_, &number) || (part == 'l' && number >= kMaxLevels)) return false;
        numbers_.push_back(number);
        return true;
      }
      case 'p':
        return TakeVarint(&input_, &path_);
      case 'b':
        return TakeBytes(&input_, &texts_.emplace_back());
      case 'k':
        if (texts_.empty()) keys_ = input_;
        if (!TakeBytes(&input_, &texts_.emplace_back()) ||
            texts_.back().size() < kSequenceAndTypeBytes) {
          return false;
        }
        texts_.back().remove_suffix(kSequenceAndTypeBytes);
        return true;
      default:
        fields_ = input_;
        return SkipFields(part == 'f' ? kEndOfFields : kLastBlobField);
    }
  }

  // Each field has a number and a length.
  bool SkipFields(uint32_t last) {
    while (true) {
      uint32_t field;
      if (!TakeVarint(&input_, &field)) return false;
      if (field == last) return true;
      if (field & kFieldMustBeKnown && field != kPathId) {
        unknown_field_ = field;
        return false;
      }
      std::string_view skipped;
      if (!TakeBytes(&input_, &skipped)) return false;
    }
  }

  std::string_view input_;
  VersionEdit* const edit_;
  std::vector<uint64_t> numbers_;  // the field's numbers
  std::vector<std::string_view> texts_;
  // The rest of a new file, from its first key on, and from its fields on.
  std::string_view keys_, fields_;
  uint32_t path_ = 0;
  uint32_t unknown_field_ = 0;
};

}  // namespace

bool DecodeVersionEdit(std::string_view record, VersionEdit* edit, std::string* problem) {
  *edit = VersionEdit();
  return Decoder(record, edit).Decode(problem);
}

void EncodeNewFile(const TableFile& file, std::string* record) {
  AppendVarint(file.stored.is_leveldb ? kNewFile : kNewFile4, record);
  AppendVarint(static_cast<uint64_t>(file.level), record);
  AppendVarint(file.number, record);
  AppendVarint(file.bytes, record);
  *record += file.stored.keys + file.stored.fields;
}

}  // namespace bloomline::tree
