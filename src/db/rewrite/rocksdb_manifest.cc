#include "src/db/rewrite/rocksdb_manifest.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "src/db/directory/manifest.h"
#include "src/db/sstable/bytes/coding.h"
#include "src/support/file_io.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline::db {
namespace {

using sstable::AppendBytes;
using sstable::AppendVarint;
using sstable::TakeBytes;
using sstable::TakeVarint;
using support::Refuse;

// Tags of RocksDB's db/version_edit.h.
constexpr uint32_t kNextFileNumber = 3;
constexpr uint32_t kDeletedFile = 6;
constexpr uint32_t kNewFile2 = 100;
constexpr uint32_t kNewFile3 = 102;
constexpr uint32_t kNewFile4 = 103;
constexpr uint32_t kColumnFamily = 200;

// Fields of kNewFile4. Those up to kLastKnown that have no name here do not depend on the file's
// bytes and are copied.
constexpr uint32_t kEnd = 1;
constexpr uint32_t kMinLogNumber = 3;  // an earlier record said it
constexpr uint32_t kChecksum = 7;
constexpr uint32_t kChecksumFunction = 8;
constexpr uint32_t kUniqueId = 12;
constexpr uint32_t kTailSize = 15;
constexpr uint32_t kOpenMetadata = 17;  // what a file system noted about the old file
constexpr uint32_t kLastKnown = 17;
constexpr uint32_t kPathId = 65;

constexpr const char* kCrc32cFunction = "FileChecksumCrc32c";

// What a MANIFEST says of a file, as stored.
struct StoredFile {
  uint32_t level = 0;
  uint64_t number = 0, bytes = 0;
  std::string_view smallest, largest;  // with sequence numbers
  uint64_t smallest_sequence = 0, largest_sequence = 0;
  std::vector<std::pair<uint32_t, std::string_view>> fields;

  std::string_view Field(uint32_t number_of_field) const {
    for (const auto& [field, content] : fields) {
      if (field == number_of_field) return content;
    }
    return {};
  }
};

// DecodeVersionEdit has accepted the bytes.
bool TakeFields(std::string_view* input, StoredFile* file) {
  uint32_t field;
  while (TakeVarint(input, &field) && field != kEnd) {
    std::string_view content;
    if (!TakeBytes(input, &content)) return false;
    file->fields.emplace_back(field, content);
  }
  return true;
}

bool Decode(const directory::TableFile& table, StoredFile* file, std::string* problem) {
  std::string_view input = table.stored;
  uint32_t tag = 0;
  uint64_t path = 0;
  const bool is_read = TakeVarint(&input, &tag) && TakeVarint(&input, &file->level) &&
                       TakeVarint(&input, &file->number) &&
                       (tag != kNewFile3 || TakeVarint(&input, &path)) &&
                       TakeVarint(&input, &file->bytes) && TakeBytes(&input, &file->smallest) &&
                       TakeBytes(&input, &file->largest);
  if (is_read && tag != kNewFile2 && tag != kNewFile3 && tag != kNewFile4) {
    return Refuse(problem, "is named in the way of LevelDB (tag ", tag,
                  "), which no RocksDB since 2.8 does");
  }
  if (!is_read || !TakeVarint(&input, &file->smallest_sequence) ||
      !TakeVarint(&input, &file->largest_sequence) ||
      (tag == kNewFile4 && !TakeFields(&input, file))) {
    return Refuse(problem, "is not described as a file");
  }
  const std::string_view path_id = file->Field(kPathId);
  if (path != 0 || path_id.find_first_not_of('\0') != path_id.npos) {
    return Refuse(problem, "is in another folder (db_paths or cf_paths)");
  }
  for (const auto& [field, content] : file->fields) {
    if (field <= kLastKnown || field == kPathId) continue;
    return Refuse(problem, "has field ", field, ", which is not known here");
  }
  const std::string_view function = file->Field(kChecksumFunction);
  if (!file->Field(kChecksum).empty() && function != kCrc32cFunction) {
    return Refuse(problem, "has a checksum by ", support::Quoted(std::string(function)),
                  "; known: ", kCrc32cFunction);
  }
  return true;
}

// The content of a field in the new file's record; nothing if it has no such field.
std::optional<std::string> NewContent(uint32_t field, std::string_view old,
                                      const RewrittenTable& table) {
  switch (field) {
    case kMinLogNumber:
    case kOpenMetadata:
      return std::nullopt;
    case kUniqueId:
      return table.unique_id;
    case kTailSize: {
      std::string content;
      AppendVarint(table.tail_bytes, &content);
      return content;
    }
    case kChecksum: {
      if (old.empty()) return std::string();
      std::string content;  // RocksDB's order of bytes: the highest first
      for (int shift = 24; shift >= 0; shift -= 8) {
        content += static_cast<char>(table.crc32c >> shift);
      }
      return content;
    }
    default:
      return std::string(old);
  }
}

void AppendNewFile(const StoredFile& old, const NewTable& added, std::string* edit) {
  AppendVarint(kNewFile4, edit);
  AppendVarint(old.level, edit);
  AppendVarint(added.number, edit);
  AppendVarint(added.table.bytes, edit);
  AppendBytes(old.smallest, edit);
  AppendBytes(old.largest, edit);
  AppendVarint(old.smallest_sequence, edit);
  AppendVarint(old.largest_sequence, edit);
  for (const auto& [field, content] : old.fields) {
    const auto changed = NewContent(field, content, added.table);
    if (!changed) continue;
    AppendVarint(field, edit);
    AppendBytes(*changed, edit);
  }
  AppendVarint(kEnd, edit);
}

// Calls f(family, file, its stored form) for all live files. Returns false with *error if one of
// them has something that is not known.
template <typename F>
bool ForEachFile(const std::string& path, const directory::LiveFiles& live, std::string* error,
                 F f) {
  for (const auto& [id, family] : live.families()) {
    for (const auto& [number, file] : family.files) {
      StoredFile stored;
      std::string problem;
      if (!Decode(file, &stored, &problem)) {
        return Refuse(error, path, ": table ", number, " of column family ",
                      support::Quoted(family.family.name), " ", problem);
      }
      f(id, stored);
    }
  }
  return true;
}

}  // namespace

bool CheckManifest(const std::string& path, uint64_t* next_file_number, std::string* error) {
  directory::LiveFiles live;
  if (!directory::ReadManifest(path, &live, error)) return false;
  *next_file_number = live.next_file_number();
  return ForEachFile(path, live, error, [](uint32_t, const StoredFile&) {});
}

bool WriteManifest(const std::string& path, const std::map<uint64_t, NewTable>& tables,
                   uint64_t next_file_number, support::ByteSink* out, std::string* error) {
  directory::LiveFiles live;
  uint64_t end = 0;
  if (!directory::ReadManifest(path, &live, error, &end)) return false;
  struct Edit {
    std::string deleted, added;
  };
  std::map<uint32_t, Edit> edits;  // by column family
  size_t num_replaced = 0;
  const auto replace = [&](uint32_t family, const StoredFile& file) {
    const auto found = tables.find(file.number);
    if (found == tables.end()) return;
    ++num_replaced;
    Edit& edit = edits[family];
    AppendVarint(kDeletedFile, &edit.deleted);
    AppendVarint(file.level, &edit.deleted);
    AppendVarint(file.number, &edit.deleted);
    AppendNewFile(file, found->second, &edit.added);
  };
  if (!ForEachFile(path, live, error, replace)) return false;
  if (num_replaced != tables.size()) {
    return Refuse(error, path, ": names ", num_replaced, " of the ", tables.size(),
                  " tables that were rewritten");
  }
  std::string log;
  for (const auto& [family, edit] : edits) {
    std::string record;
    AppendVarint(kNextFileNumber, &record);
    AppendVarint(next_file_number, &record);
    record += edit.deleted + edit.added;
    if (family != 0) {
      AppendVarint(kColumnFamily, &record);
      AppendVarint(family, &record);
    }
    directory::AppendRecord(end, record, &log);
  }
  support::InputFile old;
  return old.Open(path, error) && support::AppendStart(old, end, out, error) &&
         out->Append(log.data(), log.size(), error);
}

}  // namespace bloomline::db
