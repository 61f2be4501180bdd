#include "src/db/rewrite/table_blocks.h"

#include <algorithm>
#include <iterator>

#include "src/db/key_walk.h"
#include "src/db/sstable/block_cursor.h"
#include "src/db/sstable/bytes/coding.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline::db {
namespace {

using sstable::BlockHandle;
using sstable::BlockReader;
using sstable::FilterKind;
using sstable::TableParts;
using support::Quoted;
using support::StrCat;

// Blocks behind the data that hold no offsets of blocks behind the data. They can be moved as they
// are.
constexpr const char* kMovable[] = {kIndexBlock, "rocksdb.compression_dict", "rocksdb.range_del",
                                    "rocksdb.hashindex.prefixes", "rocksdb.hashindex.metadata"};
constexpr const char* kFilterNames[] = {"filter.", "fullfilter.", "partitionedfilter."};

bool StartsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

bool IsKnown(const std::string& name) {
  const auto is_name = [&](const char* known) { return name == known; };
  const auto is_start = [&](const char* start) { return StartsWith(name, start); };
  return name == kPropertiesBlock ||
         std::any_of(std::begin(kMovable), std::end(kMovable), is_name) ||
         std::any_of(std::begin(kFilterNames), std::end(kFilterNames), is_start);
}

// Calls f(key, value) for each entry until it returns false with its own *error.
template <typename F>
bool ForEachEntry(const TableParts& parts, const char* what, const BlockHandle& handle,
                  std::string_view contents, std::string* error, F f) {
  sstable::BlockCursor cursor;
  cursor.Open(contents, sstable::Engine::kRocksDB);
  // Names share bytes, so those of a small crafted block could exceed any memory.
  constexpr uint64_t kMaxBytes = 64 << 20;
  uint64_t bytes = 0;
  while (cursor.Next()) {
    bytes += cursor.key().size() + cursor.value().size();
    if (bytes > kMaxBytes) {
      return parts.blocks.Damaged(error, what, handle.offset, "its entries have ", bytes,
                                  " bytes or more; allowed: at most ", kMaxBytes);
    }
    if (!f(std::string(cursor.key()), cursor.value())) return false;
  }
  return cursor.problem() == nullptr ||
         parts.blocks.Damaged(error, what, handle.offset, cursor.problem());
}

bool ReadMetaindex(const TableParts& parts, BlockReader* reader, TableBlocks* blocks,
                   std::string* error) {
  constexpr const char* kWhat = "metaindex block";
  const BlockHandle& handle = parts.blocks.footer.metaindex;
  std::string_view contents;
  if (!reader->Read(kWhat, handle, &contents, error)) return false;
  const auto add = [&](std::string name, std::string_view value) {
    BlockHandle block;
    if (!sstable::TakeBlockHandle(&value, &block)) {
      return parts.blocks.Damaged(error, kWhat, handle.offset, "a block handle is damaged");
    }
    const auto [entry, is_new] = blocks->meta.emplace(std::move(name), block);
    return is_new || parts.blocks.Damaged(error, kWhat, handle.offset, "it has ",
                                          Quoted(entry->first), " twice");
  };
  return ForEachEntry(parts, kWhat, handle, contents, error, add);
}

// Table::Open has checked the block, with the exception that it allows for ingested files.
bool ReadProperties(const TableParts& parts, BlockReader* reader, TableBlocks* blocks,
                    std::string* error) {
  constexpr const char* kWhat = "properties block";
  const BlockHandle& handle = blocks->meta[kPropertiesBlock];
  const char* stored;
  if (!reader->ReadStored(kWhat, handle, &stored, error)) return false;
  if (stored[handle.size] != 0) {
    return parts.blocks.Damaged(error, kWhat, handle.offset,
                                "it is compressed, which RocksDB never does");
  }
  const auto add = [&](std::string name, std::string_view value) {
    const auto [entry, is_new] = blocks->properties.emplace(std::move(name), value);
    return is_new || parts.blocks.Damaged(error, kWhat, handle.offset, "it has ",
                                          Quoted(entry->first), " twice");
  };
  return ForEachEntry(parts, kWhat, handle, {stored, static_cast<size_t>(handle.size)}, error, add);
}

bool ReadIndexPartitions(const TableParts& parts, BlockReader* reader, TableBlocks* blocks,
                         std::string* error) {
  constexpr const char* kWhat = "index block";
  std::string_view contents;
  if (!reader->Read(kWhat, parts.index, &contents, error)) return false;
  sstable::IndexForm form = parts.internal.index;
  form.has_first_keys = false;
  sstable::IndexBlockCursor cursor(&parts.blocks, form);
  if (!cursor.Open(kWhat, parts.index, contents, error)) return false;
  while (cursor.Next(error)) {
    blocks->index_partitions.emplace_back(cursor.separator(), cursor.handle());
  }
  return error->empty();
}

// Returns what is not known in the table, as the end of a sentence; empty: nothing.
std::string Unknown(const TableBlocks& blocks) {
  constexpr uint32_t kLastIndexType = 3;
  const TableParts& parts = blocks.parts();
  const auto text = [&](const char* name) {
    const auto found = blocks.properties.find(name);
    return found == blocks.properties.end() ? std::string() : found->second;
  };
  for (const auto& [name, handle] : blocks.meta) {
    if (!IsKnown(name)) return StrCat("has a block ", Quoted(name), ", which is not known here");
  }
  const std::string& manager = parts.internal.compression_manager;
  if (!manager.empty() && manager != "BuiltinV2") {
    return StrCat("has blocks of the compression manager ", Quoted(manager),
                  ", which only its application knows");
  }
  const std::string index_type = text("rocksdb.block.based.table.index.type");
  if (index_type.size() >= 4 && sstable::LoadLittleEndian32(index_type.data()) > kLastIndexType) {
    return StrCat("has an index of type ", sstable::LoadLittleEndian32(index_type.data()),
                  "; known: 0 to ", kLastIndexType);
  }
  const std::string& filter = parts.filter_name;
  if (!filter.empty() && filter != engine_filters::kRocksDBName) {
    return StrCat("has a filter of the policy ", Quoted(filter), ", which is not RocksDB's own");
  }
  const FilterKeys keys(*blocks.table);
  if (!keys.unknown.empty()) return "has filters of prefixes: " + keys.unknown;
  if (!keys.order.is_known && blocks.properties.count("rocksdb.timestamp_min") != 0) {
    return StrCat("has timestamps of the comparator ", Quoted(keys.comparator),
                  ", whose length is not known here");
  }
  return "";
}

// Returns how the table differs from what the MANIFEST says, as the end of a sentence.
std::string Contradiction(const TableSource& source, const sstable::Table& table) {
  if (table.file_bytes() != source.bytes) {
    return StrCat("has ", table.file_bytes(), " bytes; the MANIFEST says ", source.bytes);
  }
  const std::string& comparator = table.properties().comparator;
  if (!source.comparator.empty() && comparator != source.comparator) {
    return StrCat("has keys in the order of ", Quoted(comparator), "; the MANIFEST says ",
                  Quoted(source.comparator));
  }
  return "";
}

}  // namespace

uint64_t TableBlocks::Number(const char* name, uint64_t otherwise) const {
  const auto found = properties.find(name);
  if (found == properties.end()) return otherwise;
  std::string_view text = found->second;
  uint64_t number;
  return sstable::TakeVarint(&text, &number) ? number : otherwise;
}

Verdict OpenBlocks(const TableSource& source, TableBlocks* blocks, std::string* reason) {
  const auto refused = [&](const std::string& what) {
    *reason = source.path + ": " + what;
    return Verdict::kRefused;
  };
  sstable::OpenOptions options;
  options.comparator = source.comparator;
  options.verify_checksums = source.verify_checksums;
  blocks->table = sstable::Table::Open(source.path, options, reason);
  if (blocks->table == nullptr) return Verdict::kFailed;
  const sstable::Table& table = *blocks->table;
  const TableParts& parts = blocks->parts();
  if (table.engine() != sstable::Engine::kRocksDB) return refused("is not a table of RocksDB");
  if (table.format_version() < 2) {
    return refused(StrCat("has format_version ", table.format_version(), "; allowed: 2 to 7"));
  }
  BlockReader reader(&parts.blocks, BlockReader::Access::kRandom);
  if (!ReadMetaindex(parts, &reader, blocks, reason) ||
      !ReadProperties(parts, &reader, blocks, reason)) {
    return Verdict::kFailed;
  }
  std::string problem = Unknown(*blocks);
  if (problem.empty()) problem = Contradiction(source, table);
  if (!problem.empty()) return refused(problem);
  const bool has_partitions = parts.internal.index.has_two_levels;
  if (has_partitions && !ReadIndexPartitions(parts, &reader, blocks, reason)) {
    return Verdict::kFailed;
  }
  return Verdict::kRewritable;
}

}  // namespace bloomline::db
