// The properties that RocksDB keeps in each table (table.h).
#include <cstring>
#include <map>

#include "src/db/sstable/bytes/coding.h"
#include "src/db/sstable/table_parts.h"

namespace bloomline::sstable {
namespace {

constexpr const char* kWhat = "properties block";
// Longer names are not read. Names share bytes, so the names of a small block could exceed any
// memory.
constexpr size_t kMaxNameBytes = 64;
constexpr const char* kGlobalSequence = "rocksdb.external_sst_file.global_seqno";

struct Values : std::map<std::string, std::string> {
  std::string_view Text(const char* name) const {
    const auto found = find(name);
    return found == end() ? std::string_view() : std::string_view(found->second);
  }

  // Like RocksDB, we ignore a number that cannot be read.
  void Number(const char* name, uint64_t* value) const {
    std::string_view text = Text(name);
    uint64_t number;
    if (TakeVarint(&text, &number)) *value = number;
  }

  bool Flag(const char* name, bool default_value) const {
    uint64_t number = default_value ? 1 : 0;
    Number(name, &number);
    return number != 0;
  }

  // The value is "1" or "0" in ASCII.
  bool Switch(const char* name, bool default_value) const {
    const std::string_view text = Text(name);
    return text.empty() ? default_value : text == "1";
  }

  bool Fixed32(const char* name, uint32_t* value) const {
    const std::string_view text = Text(name);
    if (text.size() < 4) return false;
    *value = LoadLittleEndian32(text.data());
    return true;
  }
};

// The name in the text form of a RocksDB object: "NAME", "{id=NAME;OPTION=VALUE;...}", or
// "bloomline.ranges:NUMBERS" (engines/rocksdb/ranges), whose numbers mean nothing here.
std::string_view ObjectName(std::string_view text) {
  constexpr std::string_view kStart = "{id=";
  if (text.substr(0, kStart.size()) != kStart) return text.substr(0, text.find(':'));
  text.remove_prefix(kStart.size());
  return text.substr(0, text.find_first_of(";}"));
}

void Fill(const Values& values, Properties* properties) {
  values.Number("rocksdb.num.entries", &properties->num_entries);
  values.Number("rocksdb.num.range-deletions", &properties->num_range_deletions);
  values.Number("rocksdb.num.filter_entries", &properties->num_filter_entries);
  values.Number("rocksdb.index.size", &properties->index_bytes);
  properties->filter_policy = values.Text("rocksdb.filter.policy");
  properties->comparator = values.Text("rocksdb.comparator");
  properties->prefix_extractor = ObjectName(values.Text("rocksdb.prefix.extractor.name"));
  if (properties->prefix_extractor == "nullptr") properties->prefix_extractor.clear();
  properties->whole_key_filtering =
      values.Switch("rocksdb.block.based.table.whole.key.filtering", true);
  properties->prefix_filtering = values.Switch("rocksdb.block.based.table.prefix.filtering", false);
  properties->keys_have_timestamps = values.Flag("rocksdb.user.defined.timestamps.persisted", true);
}

void Fill(const Values& values, int format_version, InternalProperties* internal) {
  constexpr uint32_t kTwoLevels = 2;
  constexpr uint32_t kWithFirstKeys = 3;
  uint32_t index_type = 0;
  values.Fixed32("rocksdb.block.based.table.index.type", &index_type);
  internal->index.has_two_levels = index_type == kTwoLevels;
  internal->index.has_first_keys = index_type == kWithFirstKeys;
  internal->index.has_user_keys = values.Flag("rocksdb.index.key.is.user.key", false);
  internal->index.has_deltas = values.Flag("rocksdb.index.value.is.delta.encoded", false);
  uint32_t external_version = 0;
  const std::string_view sequence = values.Text(kGlobalSequence);
  if (values.Fixed32("rocksdb.external_sst_file.version", &external_version) &&
      external_version == 2 && sequence.size() >= 8) {
    internal->global_sequence = LoadLittleEndian64(sequence.data());
  }
  if (format_version >= 7) {  // "BuiltinV2;0407;": the compressor, and the types
    const std::string_view compression = values.Text("rocksdb.compression");
    internal->compression_manager = compression.substr(0, compression.find(';'));
  }
}

}  // namespace

bool ReadProperties(const BlockFile& file, const BlockHandle& handle, BlockReader* reader,
                    Properties* properties, InternalProperties* internal, std::string* error) {
  const char* stored;
  if (!reader->ReadStored(kWhat, handle, &stored, error)) return false;
  bool is_right = !file.verify_checksums || reader->HasRightChecksum(stored, handle);
  std::string_view contents(stored, static_cast<size_t>(handle.size));
  if (is_right && stored[handle.size] != 0 &&
      !reader->Read(kWhat, handle, &contents, error)) {  // compressed: RocksDB never writes it so
    return false;
  }
  BlockCursor cursor;
  cursor.Open(contents, Engine::kRocksDB);
  Values values;
  while (cursor.Next()) {
    const std::string_view name = cursor.key();
    if (name.size() > kMaxNameBytes) continue;
    const std::string_view value = cursor.value();
    // RocksDB may write the sequence number into a file that it ingests, and leave the checksum
    // that was right for 0. Recompute the checksum once, even if the name occurs again.
    const bool is_first = values.emplace(name, value).second;
    if (is_right || !is_first || name != kGlobalSequence || value.size() != 8) continue;
    std::string copy(stored, static_cast<size_t>(handle.size + kBlockTrailerBytes));
    std::memset(copy.data() + (value.data() - contents.data()), 0, 8);
    is_right = reader->HasRightChecksum(copy.data(), handle);
  }
  if (!is_right) return file.Damaged(error, kWhat, handle.offset, "its checksum is wrong");
  if (cursor.problem() != nullptr) {
    return file.Damaged(error, kWhat, handle.offset, cursor.problem());
  }
  Fill(values, properties);
  Fill(values, file.footer.format_version, internal);
  return true;
}

}  // namespace bloomline::sstable
