#include "src/db/rewrite/new_manifest.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "src/db/tables/bytes/coding.h"
#include "src/db/tree/manifest.h"
#include "src/support/file_io.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline::db {
namespace {

using support::Refuse;
using tables::AppendBytes;
using tables::AppendVarint;
using tables::TakeBytes;
using tables::TakeVarint;

// Tags of RocksDB's db/version_edit.h.
constexpr uint32_t kNextFileNumber = 3;
constexpr uint32_t kDeletedFile = 6;
constexpr uint32_t kColumnFamily = 200;

// Fields of a new file. Those up to kLastKnown that have no name here do not depend on the file's
// bytes and are copied.
constexpr uint32_t kMinLogNumber = 3;  // an earlier record said it
constexpr uint32_t kChecksum = 7;
constexpr uint32_t kChecksumFunction = 8;
constexpr uint32_t kUniqueId = 12;
constexpr uint32_t kTailSize = 15;
constexpr uint32_t kOpenMetadata = 17;  // what a file system noted about the old file
constexpr uint32_t kLastKnown = 17;
constexpr uint32_t kPathId = 65;

constexpr char kCrc32cFunction[] = "FileChecksumCrc32c";
constexpr char kInAnotherFolder[] = "is in another folder (db_paths or cf_paths)";

void AppendVarints(std::initializer_list<uint64_t> numbers, std::string* out) {
  for (const uint64_t number : numbers) AppendVarint(number, out);
}

// The content of a field in the new file's record; nothing if it has no such field.
std::optional<std::string> NewContent(uint32_t field, std::string_view old,
                                      const RewrittenTable& table) {
  std::string content;
  switch (field) {
    case kMinLogNumber:
    case kOpenMetadata:
      return std::nullopt;
    case kUniqueId:
      return table.unique_id;
    case kTailSize:
      AppendVarint(table.tail_bytes, &content);
      return content;
    case kChecksum:  // the highest byte first
      for (int shift = 24; shift >= 0 && !old.empty(); shift -= 8) {
        content += static_cast<char>(table.crc32c >> shift);
      }
      return content;
    default:
      return std::string(old);
  }
}

bool ReplaceFields(std::string_view fields, const RewrittenTable& table, std::string* added,
                   std::string* problem) {
  std::string_view function;
  bool has_checksum = false;
  uint32_t field;
  while (TakeVarint(&fields, &field) && field != tree::kEndOfFields) {
    std::string_view content;
    if (!TakeBytes(&fields, &content)) break;
    if (field == kPathId && content.find_first_not_of('\0') != content.npos) {
      return Refuse(problem, kInAnotherFolder);
    }
    if (field > kLastKnown && field != kPathId) {
      return Refuse(problem, "has field ", field, ", which this program does not know");
    }
    if (field == kChecksumFunction) function = content;
    if (field == kChecksum) has_checksum = !content.empty();
    const auto changed = NewContent(field, content, table);
    if (!changed) continue;
    AppendVarint(field, added);
    AppendBytes(*changed, added);
  }
  AppendVarint(tree::kEndOfFields, added);
  return !has_checksum || function == kCrc32cFunction ||
         Refuse(problem, "has a checksum by ", support::Quoted(function),
                "; known: ", kCrc32cFunction);
}

// The changes of a column family.
struct Edit {
  std::string deleted, added;
};

// Appends what replaces a table. Returns false with *problem if the MANIFEST says something of it
// that is not known.
bool Replace(tree::TableFile file, bool is_rocksdb, const NewTable& by, Edit* edit,
             std::string* problem) {
  if (file.stored.path != 0) return Refuse(problem, kInAnotherFolder);
  if (is_rocksdb && file.stored.is_leveldb) {
    return Refuse(problem,
                  "has a record of LevelDB's kind, which RocksDB has not written since 2.8");
  }
  AppendVarints({kDeletedFile, static_cast<uint64_t>(file.level), file.number}, &edit->deleted);
  std::string fields;
  if (is_rocksdb && !ReplaceFields(file.stored.fields, by.table, &fields, problem)) return false;
  file.number = by.number;
  file.bytes = by.table.bytes;
  file.stored.fields = fields;
  tree::EncodeNewFile(file, &edit->added);
  return true;
}

// Sets the changes of each column family that has some of the tables. Returns false with *error if
// the MANIFEST has something that is not known, of any table.
bool MakeEdits(const std::string& path, const tree::LiveFiles& live,
               const std::map<uint64_t, NewTable>& tables, std::map<uint32_t, Edit>* edits,
               std::string* error) {
  size_t num_replaced = 0;
  for (const auto& [id, family] : live.families()) {
    for (const auto& [number, file] : family.files) {
      const auto found = tables.find(number);
      const bool is_replaced = found != tables.end();
      num_replaced += is_replaced;
      Edit dropped;
      std::string problem;
      if (!Replace(file, live.has_rocksdb_tags(), is_replaced ? found->second : NewTable(),
                   is_replaced ? &(*edits)[id] : &dropped, &problem)) {
        return Refuse(error, path, ": table ", number, " of column family ",
                      support::Quoted(family.family.name), " ", problem);
      }
    }
  }
  return num_replaced == tables.size() || Refuse(error, path, ": names ", num_replaced, " of the ",
                                                 tables.size(), " tables that were rewritten");
}

}  // namespace

bool CheckManifest(const std::string& path, uint64_t* next_file_number, std::string* error) {
  tree::LiveFiles live;
  std::map<uint32_t, Edit> none;
  if (!tree::ReadManifest(path, &live, error)) return false;
  *next_file_number = live.next_file_number();
  return MakeEdits(path, live, {}, &none, error);
}

bool WriteManifest(const std::string& path, const std::map<uint64_t, NewTable>& tables,
                   uint64_t next_file_number, support::ByteSink* out, std::string* error) {
  tree::LiveFiles live;
  uint64_t end = 0;
  std::map<uint32_t, Edit> edits;
  if (!tree::ReadManifest(path, &live, error, &end) ||
      !MakeEdits(path, live, tables, &edits, error)) {
    return false;
  }
  std::string log;
  for (const auto& [family, edit] : edits) {
    std::string record;
    AppendVarints({kNextFileNumber, next_file_number}, &record);
    record += edit.deleted + edit.added;
    if (family != 0) AppendVarints({kColumnFamily, family}, &record);
    tree::AppendRecord(end, record, &log);
  }
  support::InputFile old;
  return old.Open(path, error) && support::AppendPart(old, 0, end, out, error) &&
         out->Append(log.data(), log.size(), error);
}

}  // namespace bloomline::db
