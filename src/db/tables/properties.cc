// The properties that RocksDB keeps in each table (table.h).
#include <cstring>
#include <string>
#include <string_view>

#include "src/db/tables/bytes/coding.h"
#include "src/db/tables/table_parts.h"
#include "src/support/quoted.h"

namespace bloomline::tables {
namespace {

constexpr const char* kWhat = "properties block";
constexpr const char* kGlobalSequence = "rocksdb.external_sst_file.global_seqno";

bool Flag(const NamedValues& values, const char* name, bool otherwise) {
  return values.Number(name, otherwise ? 1 : 0) != 0;
}

// The value is "1" or "0" in ASCII.
bool Switch(const NamedValues& values, const char* name, bool otherwise) {
  const std::string_view text = values.Text(name);
  return text.empty() ? otherwise : text == "1";
}

// The name in the text form of a RocksDB object: "NAME", "{id=NAME;OPTION=VALUE;...}", or
// "bloomline.ranges:NUMBERS" (releases before 0.3), whose numbers mean nothing here.
std::string_view ObjectName(std::string_view text) {
  constexpr std::string_view kStart = "{id=";
  if (text.substr(0, kStart.size()) != kStart) return text.substr(0, text.find(':'));
  text.remove_prefix(kStart.size());
  return text.substr(0, text.find_first_of(";}"));
}

void Fill(TableParts* parts) {
  const NamedValues& values = parts->stored_properties;
  Properties* const properties = &parts->properties;
  properties->num_entries = values.Number("rocksdb.num.entries", kUnknownCount);
  properties->num_range_deletions = values.Number("rocksdb.num.range-deletions", kUnknownCount);
  properties->num_filter_entries = values.Number("rocksdb.num.filter_entries", kUnknownCount);
  properties->index_bytes = values.Number("rocksdb.index.size", kUnknownCount);
  properties->filter_policy = values.Text("rocksdb.filter.policy");
  properties->comparator = values.Text("rocksdb.comparator");
  properties->prefix_extractor = ObjectName(values.Text("rocksdb.prefix.extractor.name"));
  if (properties->prefix_extractor == "nullptr") properties->prefix_extractor.clear();
  properties->whole_key_filtering =
      Switch(values, "rocksdb.block.based.table.whole.key.filtering", true);
  properties->prefix_filtering =
      Switch(values, "rocksdb.block.based.table.prefix.filtering", false);
  properties->keys_have_timestamps =
      Flag(values, "rocksdb.user.defined.timestamps.persisted", true);
  constexpr uint32_t kTwoLevels = 2;
  constexpr uint32_t kWithFirstKeys = 3;
  const uint32_t index_type = values.Fixed32("rocksdb.block.based.table.index.type", 0);
  parts->index_form.has_two_levels = index_type == kTwoLevels;
  parts->index_form.has_first_keys = index_type == kWithFirstKeys;
  parts->index_form.has_user_keys = Flag(values, "rocksdb.index.key.is.user.key", false);
  parts->index_form.has_deltas = Flag(values, "rocksdb.index.value.is.delta.encoded", false);
  const std::string_view sequence = values.Text(kGlobalSequence);
  if (values.Fixed32("rocksdb.external_sst_file.version", 0) == 2 && sequence.size() >= 8) {
    parts->global_sequence = LoadLittleEndian64(sequence.data());
  }
  if (parts->blocks.footer.format_version >= 7) {
    // "BuiltinV2;0407;": the compressor, and the types
    const std::string_view compression = values.Text("rocksdb.compression");
    parts->blocks.compression.manager = compression.substr(0, compression.find(';'));
  }
}

// RocksDB may write the sequence number into a file that it ingests, and leave the checksum that
// was right for 0. Returns whether it is that.
bool HasChecksumOfZero(const char* stored, const BlockHandle& handle, const BlockReader& reader) {
  const auto size = static_cast<size_t>(handle.size);
  BlockCursor cursor(nullptr);  // keys have at most the bytes of the block
  cursor.Open({stored, size}, Engine::kRocksDB);
  while (cursor.Next()) {
    if (cursor.key() != kGlobalSequence || cursor.value().size() != 8) continue;
    std::string copy(stored, size + kBlockTrailerBytes);
    std::memset(copy.data() + (cursor.value().data() - stored), 0, 8);
    return reader.HasRightChecksum(copy.data(), handle);
  }
  return false;
}

}  // namespace

uint64_t NamedValues::Number(const char* name, uint64_t otherwise) const {
  std::string_view text = Text(name);
  uint64_t number;
  return TakeVarint(&text, &number) ? number : otherwise;
}

uint32_t NamedValues::Fixed32(const char* name, uint32_t otherwise) const {
  const std::string_view text = Text(name);
  return text.size() < 4 ? otherwise : LoadLittleEndian32(text.data());
}

bool NamedValues::Read(const BlockFile& file, const char* what, const BlockHandle& handle,
                       std::string_view contents, std::string* error) {
  // In a map here and in others that are made of it, and in texts.
  constexpr uint64_t kCopies = 4;
  constexpr uint64_t kNodeBytes = 96;
  BlockCursor cursor(&file.memory);
  cursor.Open(contents, Engine::kRocksDB);  // the same in both engines
  while (cursor.Next()) {
    file.memory.Take(kCopies * (kNodeBytes + cursor.key().size() + cursor.value().size()));
    const auto [entry, is_new] = emplace(cursor.key(), cursor.value());
    if (!is_new) {
      return file.Damaged(error, what, handle.offset, "it has ", support::Quoted(entry->first),
                          " twice");
    }
  }
  return cursor.problem() == nullptr || file.Damaged(error, what, handle.offset, cursor.problem());
}

bool ReadProperties(const BlockHandle& handle, BlockReader* reader, TableParts* parts,
                    std::string* error) {
  const BlockFile& file = parts->blocks;
  const char* stored;
  if (!reader->ReadStored(kWhat, handle, &stored, error)) return false;
  std::string_view contents(stored, static_cast<size_t>(handle.size));
  if (file.verify_checksums && !reader->HasRightChecksum(stored, handle)) {
    if (!HasChecksumOfZero(stored, handle, *reader)) {
      return file.Damaged(error, kWhat, handle.offset, "its checksum is wrong");
    }
  } else if (!reader->Read(kWhat, handle, &contents, error)) {
    return false;  // it is compressed: RocksDB never writes it so
  }
  if (!parts->stored_properties.Read(file, kWhat, handle, contents, error)) return false;
  for (const char* const name :
       {"rocksdb.comparator", "rocksdb.filter.policy", "rocksdb.prefix.extractor.name"}) {
    const size_t bytes = parts->stored_properties.Text(name).size();
    if (bytes <= kMaxNameBytes) continue;
    return file.Damaged(error, kWhat, handle.offset, name, " has ", bytes,
                        " bytes; allowed: at most ", kMaxNameBytes);
  }
  Fill(parts);
  return true;
}

}  // namespace bloomline::tables
