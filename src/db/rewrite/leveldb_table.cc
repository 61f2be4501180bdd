#include "src/db/rewrite/leveldb_table.h"

#include <optional>
#include <string_view>
#include <vector>

#include "src/db/directory/manifest.h"
#include "src/db/key_walk.h"
#include "src/db/rewrite/rewrite_plan.h"
#include "src/db/sstable/block_cursor.h"
#include "src/db/sstable/bytes/block_writer.h"
#include "src/db/sstable/bytes/coding.h"
#include "src/db/sstable/table_parts.h"
#include "src/db/sstable/table_writer.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/leveldb_codes.h"
#include "src/filter/container/policy_names.h"
#include "src/filter/sizing/leveldb_shapes.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"
#include "src/support/number_text.h"
#include "src/support/quoted.h"

namespace bloomline::db {
namespace {

using engine_filters::EngineFilter;
using sstable::BlockHandle;
using support::Refuse;

constexpr char kFilterPrefix[] = "filter.";

// LevelDB's FilterBlockBuilder, with the filters of bloomline's policy for LevelDB.
class FilterBlock {
 public:
  FilterBlock(Format format, double bits_per_key)
      : is_classic_(format == Format::kClassic), shapes_(format, bits_per_key) {}

  // The next key is in a data block at this offset.
  void StartBlock(uint64_t offset) {
    while (offset >> kBaseLg > num_filters_) EndFilter();
  }
  void AddKey(std::string_view key) {
    const uint64_t hash = is_classic_ ? filter::LevelDBHash32(key) : filter::Hash64(key, 0);
    if (is_classic_ || hashes_.empty() || hashes_.back() != hash) hashes_.push_back(hash);
    ++num_keys_;
  }
  uint64_t num_keys() const { return num_keys_; }

  // LevelDB begins a block behind the last one, too.
  std::string Finish(uint64_t data_end) {
    StartBlock(data_end);
    if (!hashes_.empty()) EndFilter();
    const auto list = static_cast<uint32_t>(bytes_.size());
    bytes_ += offsets_;
    sstable::AppendFixed32(list, &bytes_);
    bytes_ += static_cast<char>(kBaseLg);
    return std::move(bytes_);
  }

 private:
  static constexpr unsigned kBaseLg = 11;

  void EndFilter() {
    ++num_filters_;
    const size_t begin = bytes_.size();
    sstable::AppendFixed32(static_cast<uint32_t>(begin), &offsets_);
    if (hashes_.empty()) return;
    filter::FilterShape shape = shapes_.For(hashes_.size());
    bytes_.resize(begin + static_cast<size_t>(shape.payload_bytes()) + 1, '\0');
    filter::BuildSmallPayload(hashes_.data(), hashes_.size(), &shape, kernels::ActiveKernel(),
                              bytes_.data() + begin);
    bytes_.back() = filter::LevelDBCode(shape);
    hashes_.clear();
  }

  const bool is_classic_;
  const filter::LevelDBShapes shapes_;
  std::vector<uint64_t> hashes_;  // of the next filter
  uint64_t num_keys_ = 0;
  uint64_t num_filters_ = 0;
  std::string bytes_;
  std::string offsets_;
};

// Queries the table's filters for each entry's key, which LevelDB adds as often as it has entries.
class LevelDBWalk final : public KeyWalk {
 public:
  // `added` gets all keys; null: none does.
  LevelDBWalk(const sstable::Table& table, FilterBlock* added) : KeyWalk(table), added_(added) {}

  uint64_t num_entries() const { return num_entries_; }
  uint64_t data_end() const { return data_end_; }
  const std::string& lost() const { return lost_; }  // a sentence about the first lost key
  const std::string& unproven() const { return unproven_; }

 private:
  bool AddEntry(std::string* error) override {
    const std::string_view key = entry().user_key();
    ++num_entries_;
    if (added_ != nullptr) {
      if (entry().entry_in_block() == 0) added_->StartBlock(entry().block_offset());
      added_->AddKey(key);
    }
    data_end_ = entry().block_end();
    return Ask(filter(), key, key.size(), Purpose::kKey, error);
  }

  void Answer(const Query& query, const EngineFilter* filter, bool may_match) override {
    if (filter == nullptr) unproven_ = "some keys have no filter";
    if (filter != nullptr && !filter->CanQuery()) unproven_ = filter->why;
    if (may_match || !lost_.empty()) return;
    lost_ =
        support::StrCat(table_.path(), ": the filter lacks the key of entry ", query.place.entry,
                        " in the data block at offset ", query.place.block_offset);
    Stop();
  }

  FilterBlock* const added_;
  uint64_t num_entries_ = 0;
  uint64_t data_end_ = 0;
  std::string lost_;
  std::string unproven_;
};

std::unique_ptr<sstable::Table> OpenTable(const std::string& path, const TableSource& source,
                                          uint64_t bytes, std::string* error) {
  sstable::OpenOptions options;
  options.comparator = source.comparator;
  auto table = sstable::Table::Open(path, options, error);
  if (table == nullptr || table->file_bytes() == bytes) return table;
  Refuse(error, path, ": has ", table->file_bytes(), " bytes; the MANIFEST says ", bytes);
  return nullptr;
}

// The name under which the new filters are found; empty with *error if a reader of the old name
// might not understand them.
std::string NameOfFilters(const sstable::Table& table, std::string* error) {
  std::string name = table.filter_name();
  if (name.empty()) return std::string(filter::kLevelDBName);
  const bool is_known = name == filter::kLevelDBName || name == "bloomline";
  if (is_known) return name;
  Refuse(error, table.path(), ": its filters have the name ", support::Quoted(name),
         ", and what reads them is not known; allowed: ", filter::kLevelDBName, ", bloomline");
  return "";
}

// LevelDB's metaindex names the filter block alone.
// Refuses a table whose metaindex names something other than filters.
Outcome HasOnlyFilters(const sstable::Table& table, std::string* error) {
  const sstable::TableParts& parts = table.parts();
  sstable::BlockReader reader(&parts.blocks, sstable::BlockReader::Access::kRandom);
  const BlockHandle& handle = parts.blocks.footer.metaindex;
  std::string_view block;
  if (!reader.Read("metaindex block", handle, &block, error)) return Outcome::kFailed;
  sstable::BlockCursor entries;
  bool is_whole = entries.Open(block, sstable::Engine::kLevelDB);
  while (is_whole && entries.Next()) {
    if (entries.key() == kFilterPrefix + table.filter_name()) continue;
    Refuse(error, table.path(), ": its metaindex has ", support::Quoted(std::string(entries.key())),
           ", which is not known here");
    return Outcome::kRefused;
  }
  is_whole = is_whole && entries.problem() == nullptr;
  if (is_whole) return Outcome::kDone;
  parts.blocks.Damaged(error, "metaindex block", handle.offset, entries.problem());
  return Outcome::kFailed;
}

// Writes everything behind the data blocks.
bool WriteTail(const sstable::Table& table, const std::string& name, std::string&& filters,
               sstable::TableWriter* writer, std::string* error) {
  const sstable::TableParts& parts = table.parts();
  sstable::BlockReader reader(&parts.blocks, sstable::BlockReader::Access::kRandom);
  const char* stored;
  BlockHandle filter, metaindex, index;
  if (!writer->AddBlock(std::move(filters), 0, &filter, error)) return false;
  sstable::BlockWriter block;
  block.Add(kFilterPrefix + name, sstable::BlockHandleText(filter));
  if (!writer->AddBlock(block.Finish(), 0, &metaindex, error) ||
      !reader.ReadStored("index block", parts.index, &stored, error)) {
    return false;
  }
  std::string bytes(stored, static_cast<size_t>(parts.index.size));
  return writer->AddBlock(std::move(bytes), static_cast<uint8_t>(stored[parts.index.size]), &index,
                          error) &&
         writer->AddFooter(metaindex, index, error);
}

}  // namespace

Outcome RewriteLevelDBTable(const TableSource& source, Format format, double bits_per_key,
                            support::ByteSink* out, RewrittenTable* result, std::string* error) {
  const auto table = OpenTable(source.path, source, source.bytes, error);
  if (table == nullptr) return Outcome::kFailed;
  const Outcome has_only_filters = HasOnlyFilters(*table, error);
  if (has_only_filters != Outcome::kDone) return has_only_filters;
  const std::string name = NameOfFilters(*table, error);
  if (name.empty()) return Outcome::kRefused;
  FilterBlock filters(format, bits_per_key);
  LevelDBWalk walk(*table, &filters);
  if (!walk.Run(error)) return Outcome::kFailed;
  if (!walk.lost().empty()) {
    *error = walk.lost();
    return Outcome::kLacksKey;
  }
  if (!walk.unproven().empty() && !sstable::OrderOf(source.comparator).is_known) {
    Refuse(error, source.path, ": nothing shows what its filters should hold: ", walk.unproven(),
           ", and the comparator ", source.comparator, " is not LevelDB's");
    return Outcome::kRefused;
  }
  const sstable::TableParts& parts = table->parts();
  sstable::TableWriter writer(&parts.blocks.footer, out);
  std::string block = filters.Finish(walk.data_end());
  result->filter_bytes = block.size();
  if (!writer.CopyUpTo(parts.blocks.file, walk.data_end(), error) ||
      !WriteTail(*table, name, std::move(block), &writer, error)) {
    return Outcome::kFailed;
  }
  result->num_entries = walk.num_entries();
  result->bytes = writer.offset();
  return Outcome::kDone;
}

Outcome CheckLevelDBTable(const std::string& path, const TableSource& source,
                          const RewrittenTable& result, std::string* error) {
  const auto table = OpenTable(path, source, result.bytes, error);
  if (table == nullptr) return Outcome::kFailed;
  LevelDBWalk walk(*table, nullptr);
  if (!walk.Run(error)) return Outcome::kFailed;
  if (!walk.lost().empty() || !walk.unproven().empty()) {
    *error = walk.lost().empty() ? path + ": " + walk.unproven() : walk.lost();
    return Outcome::kFailed;
  }
  const bool is_whole = walk.num_entries() == result.num_entries ||
                        Refuse(error, path, ": has ", walk.num_entries(),
                               " entries; it should have ", result.num_entries);
  return is_whole ? Outcome::kDone : Outcome::kFailed;
}

bool WriteLevelDBManifest(const std::string& path, const std::map<uint64_t, NewTable>& tables,
                          uint64_t next_file_number, support::ByteSink* out, std::string* error) {
  constexpr uint32_t kNextFileNumber = 3, kDeletedFile = 6, kNewFile = 7;
  directory::LiveFiles live;
  uint64_t end = 0;
  if (!directory::ReadManifest(path, &live, error, &end)) return false;
  std::string record, added;
  sstable::AppendVarint(kNextFileNumber, &record);
  sstable::AppendVarint(next_file_number, &record);
  const auto& files = live.families().begin()->second.files;
  for (const auto& [old, table] : tables) {
    const auto file = files.find(old);
    std::string_view keys = file == files.end() ? std::string_view() : file->second.stored;
    uint32_t tag = 0, level = 0;
    uint64_t number = 0, bytes = 0;
    if (!sstable::TakeVarint(&keys, &tag) || tag != kNewFile ||
        !sstable::TakeVarint(&keys, &level) || !sstable::TakeVarint(&keys, &number) ||
        !sstable::TakeVarint(&keys, &bytes)) {
      return Refuse(error, path, ": does not name table ", old, " in the way of LevelDB");
    }
    sstable::AppendVarint(kDeletedFile, &record);
    sstable::AppendVarint(level, &record);
    sstable::AppendVarint(old, &record);
    for (const uint64_t value :
         {uint64_t{kNewFile}, uint64_t{level}, table.number, table.table.bytes}) {
      sstable::AppendVarint(value, &added);
    }
    added += keys;  // the smallest and the largest, with their sequence numbers
  }
  std::string log;
  directory::AppendRecord(end, record + added, &log);
  support::InputFile old;
  return old.Open(path, error) && support::AppendStart(old, end, out, error) &&
         out->Append(log.data(), log.size(), error);
}

}  // namespace bloomline::db
