#include <utility>

#include "src/db/tables/bytes/coding.h"
#include "src/db/tables/table_parts.h"
#include "src/support/file_io.h"
#include "src/support/number_text.h"

namespace bloomline::tables {
namespace {

using support::Refuse;

// The part of the end that is read at once: it mostly has the footer, metaindex and properties.
constexpr uint64_t kTailBytes = 64 << 10;
constexpr const char* kMetaindex = "metaindex block";

bool ReadFooter(TableParts* parts, BlockReader* reader, std::string* error) {
  const uint64_t size = parts->blocks.file.size();
  if (size < Footer::kMinBytes) {
    return Refuse(error, parts->blocks.file.name(), ": is no table: it has ", size,
                  " bytes, and a footer has ", Footer::kMinBytes, " or more");
  }
  std::string_view tail;
  if (!reader->PrefetchTail(kTailBytes, &tail, error)) return false;
  std::string problem;
  if (!DecodeFooter(tail, size, parts->blocks.verify_checksums, &parts->blocks.footer, &problem)) {
    return Refuse(error, parts->blocks.file.name(), ": ", problem);
  }
  const Footer& footer = parts->blocks.footer;
  parts->index = footer.index;
  parts->blocks.compression.format_version = footer.format_version;
  // This holds until the metaindex says otherwise.
  parts->blocks.compression.engine = footer.has_leveldb_magic ? Engine::kLevelDB : Engine::kRocksDB;
  return true;
}

// Whether the engine's own policy reads filter `a` rather than `b`.
bool IsBefore(const FilterName& a, const FilterName& b, Engine engine) {
  const std::string_view own = engine == Engine::kLevelDB ? "leveldb.Builtin" : "rocksdb.Builtin";
  const auto order = [&](const FilterName& one) {
    return std::pair(one.name.substr(0, own.size()) != own, one.rank);
  };
  return order(a) < order(b);
}

// Engines write one filter.
void FindFilter(TableParts* parts) {
  const Engine engine = parts->blocks.compression.engine;
  const std::string* chosen = nullptr;
  for (const auto& [entry, handle] : parts->meta) {
    if (FilterName(entry).kind == FilterKind::kNone) continue;
    if (chosen == nullptr || IsBefore(FilterName(entry), FilterName(*chosen), engine)) {
      chosen = &entry;
    }
  }
  if (chosen == nullptr) return;
  const FilterName filter(*chosen);
  parts->filter_kind = filter.kind;
  parts->filter_name = filter.name;
  parts->filter = parts->meta[*chosen];
  parts->filter_entries.push_back(*chosen);
  for (const auto& [entry, handle] : parts->meta) {
    const FilterName other(entry);
    if (other.kind != FilterKind::kNone && other.name != filter.name) {
      parts->filter_entries.push_back(entry);
    }
  }
}

void TakeMetaBlock(std::string_view name, const BlockHandle& handle, TableParts* parts,
                   BlockHandle* properties) {
  if (name == "rocksdb.properties" || name == "rocksdb.stats") {  // the second: before RocksDB 2.7
    *properties = handle;
    parts->blocks.compression.engine = Engine::kRocksDB;
  } else if (name == "rocksdb.index") {
    parts->index = handle;
  } else if (name == "rocksdb.compression_dict") {
    parts->dictionary = handle;
  } else if (name == "rocksdb.range_del" && handle.size > 0) {
    parts->has_range_deletions = true;
  }
}

bool ReadMetaindex(TableParts* parts, BlockReader* reader, BlockHandle* properties,
                   std::string* error) {
  const BlockFile& file = parts->blocks;
  const BlockHandle& handle = file.footer.metaindex;
  std::string_view contents;
  NamedValues entries;
  if (!reader->Read(kMetaindex, handle, &contents, error) ||
      !entries.Read(file, kMetaindex, handle, contents, error)) {
    return false;
  }
  size_t name_bytes = 0;
  for (const auto& [name, text] : entries) {
    if (FilterName(name).kind != FilterKind::kNone) name_bytes += name.size();
    if (name_bytes > kMaxNameBytes) {
      return file.Damaged(error, kMetaindex, handle.offset, "the names of filters have more than ",
                          kMaxNameBytes, " bytes");
    }
    std::string_view value = text;
    BlockHandle& block = parts->meta[name];
    if (!TakeBlockHandle(&value, &block)) {
      return file.Damaged(error, kMetaindex, handle.offset, "a block handle is damaged");
    }
    TakeMetaBlock(name, block, parts, properties);
  }
  FindFilter(parts);
  return true;
}

bool OpenParts(const std::string& path, const OpenOptions& options, TableParts* parts,
               std::string* error) {
  parts->blocks.verify_checksums = options.verify_checksums;
  if (!parts->blocks.file.Open(path, error)) return false;
  parts->blocks.memory.Limit(path, parts->blocks.file.size(), options.memory);
  BlockReader reader(&parts->blocks, BlockReader::Access::kRandom);
  BlockHandle properties;
  if (!ReadFooter(parts, &reader, error) || !ReadMetaindex(parts, &reader, &properties, error))
    return false;
  if (properties.size > 0 && !ReadProperties(properties, &reader, parts, error)) return false;
  std::string& comparator = parts->properties.comparator;
  if (comparator.empty()) comparator = options.comparator;
  if (comparator.empty()) comparator = "leveldb.BytewiseComparator";
  parts->index_form.engine = parts->blocks.compression.engine;
  return parts->index.size > 0 || Refuse(error, path, ": has no index");
}

}  // namespace

FilterName::FilterName(std::string_view entry) : name(entry) {
  // RocksDB takes the first one that has its policy's name
  // (BlockBasedTable::PrefetchIndexAndFilterBlocks).
  constexpr std::pair<std::string_view, FilterKind> kPrefixes[] = {
      {"fullfilter.", FilterKind::kFull},
      {"partitionedfilter.", FilterKind::kPartitioned},
      {"filter.", FilterKind::kByOffset}};
  for (const auto& [prefix, kind_of_prefix] : kPrefixes) {
    if (entry.substr(0, prefix.size()) == prefix) {
      kind = kind_of_prefix;
      name = entry.substr(prefix.size());
      return;
    }
    ++rank;
  }
  const bool is_filter = entry.find("filter") != entry.npos || entry.find("Filter") != entry.npos;
  if (is_filter) kind = FilterKind::kUnknown;
}

bool IsPebbleTable(const std::string& path) {
  support::InputFile file;
  std::string ignored;
  char magic[kMagicBytes];
  return file.Open(path, &ignored) && file.size() >= sizeof(magic) &&
         file.ReadAt(file.size() - sizeof(magic), sizeof(magic), magic, &ignored) &&
         LoadLittleEndian64(magic) == kPebbleMagic;
}

std::unique_ptr<Table> Table::Open(const std::string& path, const OpenOptions& options,
                                   std::string* error) {
  auto parts = std::make_unique<TableParts>();
  if (!OpenParts(path, options, parts.get(), error)) return nullptr;
  return std::unique_ptr<Table>(new Table(std::move(parts)));
}

Table::Table(std::unique_ptr<const TableParts> parts) : parts_(std::move(parts)) {}
Table::~Table() = default;

const std::string& Table::path() const { return parts_->blocks.file.name(); }
uint64_t Table::file_bytes() const { return parts_->blocks.file.size(); }
Engine Table::engine() const { return parts_->blocks.compression.engine; }
int Table::format_version() const { return parts_->blocks.footer.format_version; }
bool Table::has_checksums() const { return parts_->blocks.footer.checksum != ChecksumType::kNone; }
const Properties& Table::properties() const { return parts_->properties; }
FilterKind Table::filter_kind() const { return parts_->filter_kind; }
const std::string& Table::filter_name() const { return parts_->filter_name; }
const std::vector<std::string>& Table::filter_entries() const { return parts_->filter_entries; }

uint64_t Table::index_bytes() const {
  const uint64_t of_all = properties().index_bytes;
  return of_all == kUnknownCount ? parts_->index.size : of_all;
}

}  // namespace bloomline::tables
