#include <unistd.h>

#include <cerrno>

#include "src/inspect/sstable/bytes/coding.h"
#include "src/inspect/sstable/table_parts.h"
#include "src/support/out_of_memory.h"

namespace bloomline::sstable {
namespace {

// Read at once: in most tables the footer, the metaindex and the properties are in it.
constexpr uint64_t kTailBytes = 64 << 10;
constexpr const char* kMetaindex = "metaindex block";

class BlockTable final : public Table {
 public:
  bool Open(const std::string& path, const OpenOptions& options, std::string* error);

  const std::string& path() const override { return parts_.blocks.file.name(); }
  uint64_t file_bytes() const override { return parts_.blocks.file.size(); }
  Engine engine() const override { return parts_.blocks.compression.engine; }
  int format_version() const override { return parts_.blocks.footer.format_version; }
  bool has_checksums() const override {
    return parts_.blocks.footer.checksum != ChecksumType::kNone;
  }
  const Properties& properties() const override { return parts_.properties; }
  bool CheckOtherBlocks(std::string* error) const override;
  FilterKind filter_kind() const override { return parts_.filter_kind; }
  const std::string& filter_name() const override { return parts_.filter_name; }

  std::unique_ptr<FilterReader> NewFilterReader(std::string* error) const override {
    return support::OrError(
        error, [&](std::string* reason) { return NewTableFilterReader(&parts_, reason); });
  }

  std::unique_ptr<KeyReader> NewKeyReader(std::string* error) const override {
    return support::OrError(
        error, [&](std::string* reason) { return NewTableKeyReader(&parts_, reason); });
  }

 private:
  bool ReadFooter(BlockReader* reader, std::string* error);
  bool ReadMetaindex(BlockReader* reader, BlockHandle* properties, std::string* error);
  void TakeMetaBlock(std::string_view name, const BlockHandle& handle, BlockHandle* properties);
  bool Refused(std::string_view problem, std::string* error) const {
    *error = path() + ": ";
    error->append(problem);
    return false;
  }

  TableParts parts_;
};

bool TakePrefix(std::string_view prefix, std::string_view* text) {
  if (text->substr(0, prefix.size()) != prefix) return false;
  text->remove_prefix(prefix.size());
  return true;
}

// db/blob/blob_log_format.h
bool IsBlobFile(const support::InputFile& file) {
  constexpr uint32_t kMagic = 2395959;
  char start[4];
  std::string ignored;
  return file.ReadAt(0, sizeof(start), start, &ignored) && LoadLittleEndian32(start) == kMagic;
}

bool BlockTable::Open(const std::string& path, const OpenOptions& options, std::string* error) {
  parts_.blocks.verify_checksums = options.verify_checksums;
  if (!parts_.blocks.file.Open(path, error)) return false;
  BlockReader reader(&parts_.blocks, BlockReader::Access::kRandom);
  BlockHandle properties;
  if (!ReadFooter(&reader, error) || !ReadMetaindex(&reader, &properties, error)) return false;
  if (properties.size > 0 && !ReadProperties(parts_.blocks, properties, &reader, &parts_.properties,
                                             &parts_.internal, error)) {
    return false;
  }
  if (parts_.properties.comparator.empty()) parts_.properties.comparator = options.comparator;
  parts_.internal.index.engine = engine();
  parts_.blocks.compression.manager = parts_.internal.compression_manager;
  if (parts_.index.size > 0) return true;
  return Refused("has no index", error);
}

bool BlockTable::ReadFooter(BlockReader* reader, std::string* error) {
  const uint64_t size = file_bytes();
  if (size < Footer::kMinBytes) {
    return Refused("is no table: it has " + std::to_string(size) + " bytes, and a footer has " +
                       std::to_string(Footer::kMinBytes) + " or more",
                   error);
  }
  std::string_view tail;
  if (!reader->PrefetchTail(kTailBytes, &tail, error)) return false;
  std::string problem;
  if (!DecodeFooter(tail, size, parts_.blocks.verify_checksums, &parts_.blocks.footer, &problem)) {
    if (IsBlobFile(parts_.blocks.file)) problem = "is a RocksDB blob file, not a block-based table";
    return Refused(problem, error);
  }
  const Footer& footer = parts_.blocks.footer;
  parts_.index = footer.index;
  parts_.blocks.compression.format_version = footer.format_version;
  // Until the metaindex says otherwise.
  parts_.blocks.compression.engine = footer.has_leveldb_magic ? Engine::kLevelDB : Engine::kRocksDB;
  return true;
}

bool BlockTable::ReadMetaindex(BlockReader* reader, BlockHandle* properties, std::string* error) {
  const BlockHandle& handle = parts_.blocks.footer.metaindex;
  std::string_view contents;
  if (!reader->Read(kMetaindex, handle, &contents, error)) return false;
  BlockCursor cursor;
  if (!cursor.Open(contents, Engine::kLevelDB)) {  // the same in both engines
    return parts_.blocks.Damaged(kMetaindex, handle.offset, cursor.problem(), error);
  }
  while (cursor.Next()) {
    std::string_view value = cursor.value();
    BlockHandle block;
    if (!TakeBlockHandle(&value, &block)) {
      return parts_.blocks.Damaged(kMetaindex, handle.offset, "a block handle is damaged", error);
    }
    TakeMetaBlock(cursor.key(), block, properties);
  }
  if (cursor.problem() == nullptr) return true;
  return parts_.blocks.Damaged(kMetaindex, handle.offset, cursor.problem(), error);
}

void BlockTable::TakeMetaBlock(std::string_view name, const BlockHandle& handle,
                               BlockHandle* properties) {
  struct Prefix {
    std::string_view text;
    FilterKind kind;
  };
  constexpr Prefix kPrefixes[] = {{"filter.", FilterKind::kByOffset},
                                  {"fullfilter.", FilterKind::kFull},
                                  {"partitionedfilter.", FilterKind::kPartitioned}};
  for (const Prefix& prefix : kPrefixes) {
    // Engines write one filter block. Names share bytes: a copy of each could take hours.
    if (parts_.filter_kind != FilterKind::kNone || !TakePrefix(prefix.text, &name)) continue;
    parts_.filter_kind = prefix.kind;
    parts_.filter_name = name;
    parts_.filter = handle;
    return;
  }
  if (name == "rocksdb.properties" || name == "rocksdb.stats") {  // the second: before RocksDB 2.7
    *properties = handle;
    parts_.blocks.compression.engine = Engine::kRocksDB;
  } else if (name == "rocksdb.index") {
    parts_.index = handle;
  } else if (name == "rocksdb.compression_dict") {
    parts_.dictionary = handle;
    parts_.has_dictionary = handle.size > 0;
  } else if (handle.size > 0) {
    parts_.has_range_deletions = parts_.has_range_deletions || name == "rocksdb.range_del";
    parts_.other_blocks.push_back(handle);
  }
}

bool BlockTable::CheckOtherBlocks(std::string* error) const {
  constexpr const char* kWhat = "meta block";
  return support::OrError(error, [&](std::string* reason) {
    BlockReader reader(&parts_.blocks, BlockReader::Access::kRandom);
    uint64_t bytes = 0;
    for (const BlockHandle& handle : parts_.other_blocks) {
      const char* stored;
      if (!reader.ReadStored(kWhat, handle, &stored, reason)) return false;
      if (parts_.blocks.verify_checksums && !reader.HasRightChecksum(stored, handle)) {
        return parts_.blocks.Damaged(kWhat, handle.offset, "its checksum is wrong", reason);
      }
      bytes += handle.size;
      if (bytes <= file_bytes()) continue;
      return parts_.blocks.Damaged(kWhat, handle.offset,
                                   "it and the meta blocks before it have " +
                                       std::to_string(bytes) + " bytes; allowed: at most the " +
                                       std::to_string(file_bytes()) + " of the file",
                                   reason);
    }
    return true;
  });
}

}  // namespace

std::unique_ptr<Table> Table::Open(const std::string& path, const OpenOptions& options,
                                   std::string* error, bool* vanished) {
  if (vanished != nullptr) *vanished = false;
  auto table = support::OrError(error, [&](std::string* reason) -> std::unique_ptr<Table> {
    auto opened = std::make_unique<BlockTable>();
    if (!opened->Open(path, options, reason)) return nullptr;
    return opened;
  });
  if (table == nullptr && vanished != nullptr) {
    *vanished = access(path.c_str(), F_OK) != 0 && errno == ENOENT;
  }
  return table;
}

}  // namespace bloomline::sstable
