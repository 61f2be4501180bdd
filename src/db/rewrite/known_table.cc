#include "src/db/rewrite/known_table.h"

#include <algorithm>
#include <iterator>

#include "src/db/survey/key_walk.h"
#include "src/db/tables/block_cursor.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline::db {
namespace {

using support::Quoted;
using support::StrCat;
using tables::BlockReader;
using tables::Engine;

// Besides filters, these may be behind the data. Those but the properties hold no offsets of blocks
// behind the data, so they can be moved as they are.
constexpr const char* kRocksDBBlocks[] = {kPropertiesBlock,
                                          kIndexBlock,
                                          "rocksdb.compression_dict",
                                          "rocksdb.range_del",
                                          "rocksdb.hashindex.prefixes",
                                          "rocksdb.hashindex.metadata"};

bool IsKnownBlock(const std::string& name, const tables::TableParts& parts) {
  if (parts.blocks.compression.engine == Engine::kLevelDB) {
    return name == "filter." + parts.filter_name;
  }
  const tables::FilterKind filter = tables::FilterName(name).kind;
  return (filter != tables::FilterKind::kNone && filter != tables::FilterKind::kUnknown) ||
         std::find(std::begin(kRocksDBBlocks), std::end(kRocksDBBlocks), name) !=
             std::end(kRocksDBBlocks);
}

bool IsKnownPolicy(const std::string& name, Engine engine) {
  if (engine == Engine::kRocksDB) return name.empty() || name == engine_filters::kRocksDBName;
  return name.empty() || name == engine_filters::kLevelDBName || name == "bloomline" ||
         name == engine_filters::kOldLevelDBName;
}

// How the table differs from what the MANIFEST says, as the end of a sentence; empty: in nothing.
std::string Contradiction(const TableSource& source, const tables::Table& table) {
  if (table.engine() != source.engine) return "is a table of another engine";
  if (table.file_bytes() != source.bytes) {
    return StrCat("has ", table.file_bytes(), " bytes; the MANIFEST says ", source.bytes);
  }
  const std::string& comparator = table.properties().comparator;
  if (source.comparator.empty() || comparator == source.comparator) return "";
  return StrCat("has keys in the order of ", Quoted(comparator), "; the MANIFEST says ",
                Quoted(source.comparator));
}

// What is not known in the table, as the end of a sentence; empty: nothing.
std::string Unknown(const tables::Table& table) {
  const tables::TableParts& parts = table.parts();
  if (parts.filter_kind == tables::FilterKind::kUnknown || parts.filter_entries.size() > 1) {
    return StrCat("has a filter ", Quoted(parts.filter_entries.back()),
                  ", which this program does not know");
  }
  for (const auto& [name, handle] : parts.meta) {
    if (IsKnownBlock(name, parts)) continue;
    return StrCat("has a block ", Quoted(name), ", which this program does not know");
  }
  if (!IsKnownPolicy(parts.filter_name, table.engine())) {
    return StrCat("has filters of the policy ", Quoted(parts.filter_name),
                  ", and this program does not know what reads them");
  }
  if (table.engine() == Engine::kLevelDB) return "";
  if (table.format_version() < 2) {
    return StrCat("has format_version ", table.format_version(), "; allowed: 2 to 7");
  }
  const std::string& manager = parts.blocks.compression.manager;
  if (!manager.empty() && manager != "BuiltinV2") {
    return StrCat("has blocks of the compression manager ", Quoted(manager),
                  ", which only its application knows");
  }
  constexpr uint32_t kLastIndexType = 3;
  const uint32_t index_type =
      parts.stored_properties.Fixed32("rocksdb.block.based.table.index.type", 0);
  if (index_type > kLastIndexType) {
    return StrCat("has an index of type ", index_type, "; known: 0 to ", kLastIndexType);
  }
  const FilterKeys keys(table);
  if (!keys.unknown.empty()) return "has filters of prefixes: " + keys.unknown;
  if (!keys.order.is_known && parts.stored_properties.count("rocksdb.timestamp_min") != 0) {
    return StrCat("has timestamps of the comparator ", Quoted(keys.comparator),
                  ", whose length this program does not know");
  }
  return "";
}

bool ReadIndexPartitions(KnownTable* table, std::string* error) {
  constexpr const char* kWhat = "index block";
  const tables::TableParts& parts = table->parts();
  BlockReader reader(&parts.blocks, BlockReader::Access::kRandom);
  std::string_view contents;
  if (!reader.Read(kWhat, parts.index, &contents, error)) return false;
  tables::IndexBlockCursor cursor(&parts.blocks, parts.index_form);
  if (!cursor.Open(kWhat, parts.index, contents, error)) return false;
  while (cursor.Next(error)) {
    constexpr uint64_t kCopies = 3;  // also in the new index
    parts.blocks.memory.Take(kCopies *
                             (sizeof(table->index_partitions.front()) + cursor.separator().size()));
    table->index_partitions.emplace_back(cursor.separator(), cursor.handle());
  }
  return error->empty();
}

}  // namespace

Outcome KnownTable::Open(const TableSource& source, std::string* error) {
  tables::OpenOptions options;
  options.comparator = source.comparator;
  options.verify_checksums = source.verify_checksums;
  options.memory = source.memory;
  table = tables::Table::Open(source.path, options, error);
  if (table == nullptr) return Outcome::kFailed;
  std::string problem = Contradiction(source, *table);
  if (problem.empty()) problem = Unknown(*table);
  if (!problem.empty()) {
    *error = source.path + ": " + problem;
    return Outcome::kRefused;
  }
  if (!parts().index_form.has_two_levels) return Outcome::kDone;
  return ReadIndexPartitions(this, error) ? Outcome::kDone : Outcome::kFailed;
}

}  // namespace bloomline::db
