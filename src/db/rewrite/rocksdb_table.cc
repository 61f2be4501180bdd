// New filters for a RocksDB table (table_walk.h).
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/db/rewrite/known_table.h"
#include "src/db/rewrite/table_filter_writer.h"
#include "src/db/rewrite/table_rewrite.h"
#include "src/db/rewrite/table_walk.h"
#include "src/db/survey/key_walk.h"
#include "src/db/tables/bytes/block_writer.h"
#include "src/db/tables/bytes/checksum.h"
#include "src/db/tables/bytes/coding.h"
#include "src/db/tables/table_writer.h"
#include "src/support/number_text.h"

namespace bloomline::db {
namespace {

using tables::BlockHandle;
using tables::BlockHandleText;
using tables::BlockReader;
using tables::BlockWriter;

// Names in the properties block.
constexpr const char* kFilterSize = "rocksdb.filter.size";
constexpr const char* kFilterEntries = "rocksdb.num.filter_entries";
constexpr const char* kFilterPolicy = "rocksdb.filter.policy";
constexpr const char* kWholeKeys = "rocksdb.block.based.table.whole.key.filtering";
constexpr const char* kPrefixes = "rocksdb.block.based.table.prefix.filtering";
constexpr const char* kDatabaseId = "rocksdb.creating.db.identity";
constexpr const char* kFileNumber = "rocksdb.original.file.number";
constexpr const char* kTopIndexSize = "rocksdb.top-level.index.size";

// The partitions of a new filter with their separators; or the filter, whose separator means
// nothing.
using NewFilters = std::vector<std::pair<std::string, std::string>>;

// Writes everything behind the data blocks. Sets the fields of *result about the filters, whose
// entries it must have, and unique_id.
class TailWriter {
 public:
  TailWriter(const KnownTable& table, const TableRewrite& rewrite, tables::TableWriter* out,
             RewrittenTable* result)
      : table_(table),
        parts_(table.parts()),
        rewrite_(rewrite),
        out_(*out),
        result_(*result),
        reader_(&parts_.blocks, BlockReader::Access::kRandom),
        properties_(parts_.stored_properties) {}

  bool Write(NewFilters filters, std::string* error) {
    return AddFilters(std::move(filters), error) && MoveBlocks(error) && AddProperties(error) &&
           AddMetaindex(error);
  }

 private:
  bool AddFilters(NewFilters filters, std::string* error) {
    if (rewrite_.without_filter) return true;
    const bool is_partitioned = parts_.filter_kind == tables::FilterKind::kPartitioned;
    BlockWriter index(!parts_.index_form.has_deltas);
    BlockHandle handle;
    for (auto& [separator, bytes] : filters) {
      if (!out_.AddBlock(std::move(bytes), 0, &handle, error)) return false;
      result_.filter_bytes += handle.size;
      index.Add(separator, BlockHandleText(handle));
    }
    if (is_partitioned) {
      if (!out_.AddBlock(index.Finish(), 0, &handle, error)) return false;
      result_.filter_bytes += handle.size;
    }
    const char* const kind = is_partitioned ? "partitionedfilter." : "fullfilter.";
    meta_[support::StrCat(kind, engine_filters::kRocksDBName)] = handle;
    return true;
  }

  bool MoveBlocks(std::string* error) {
    const bool has_two_levels = parts_.index_form.has_two_levels;
    if (!(has_two_levels ? AddTopIndex(error)
                         : out_.MoveBlock("index block", parts_.index, &reader_, &index_, error))) {
      return false;
    }
    if (parts_.meta.count(kIndexBlock) != 0) meta_[kIndexBlock] = index_;
    for (const auto& [name, handle] : parts_.meta) {
      const bool is_filter = tables::FilterName(name).kind != tables::FilterKind::kNone;
      if (is_filter || name == kPropertiesBlock || name == kIndexBlock) continue;
      if (!out_.MoveBlock(name.c_str(), handle, &reader_, &meta_[name], error)) return false;
    }
    return true;
  }

  // Moves the partitions of the index, and writes their handles in full.
  bool AddTopIndex(std::string* error) {
    BlockWriter top(!parts_.index_form.has_deltas);
    for (const auto& [separator, handle] : table_.index_partitions) {
      BlockHandle moved;
      if (!out_.MoveBlock("index partition", handle, &reader_, &moved, error)) return false;
      top.Add(separator, BlockHandleText(moved));
    }
    if (!out_.AddBlock(top.Finish(), 0, &index_, error)) return false;
    if (properties_.count(kTopIndexSize) != 0) SetNumber(kTopIndexSize, index_.size);
    return true;
  }

  void SetNumber(const char* name, uint64_t number) {
    properties_[name].clear();
    tables::AppendVarint(number, &properties_[name]);
  }

  // Missing entries about keys and prefixes mean "yes" to RocksDB. So both are always there: seeks
  // by prefix would lose keys in a filter of whole keys alone.
  bool AddProperties(std::string* error) {
    const FilterKeys keys(*table_.table);
    SetNumber(kFilterSize, result_.filter_bytes);
    if (properties_.count(kFilterEntries) != 0) {
      SetNumber(kFilterEntries, result_.num_filter_entries);
    }
    std::string& policy = properties_[kFilterPolicy];
    if (policy.empty()) policy = engine_filters::kRocksDBName;
    if (rewrite_.without_filter) properties_.erase(kFilterPolicy);
    properties_[kWholeKeys] = keys.whole_keys ? "1" : "0";
    properties_[kPrefixes] = keys.prefixes ? "1" : "0";
    if (properties_.count(kSession) != 0 && properties_.count(kFileNumber) != 0) {
      properties_[kSession] = rewrite_.session.text;
      SetNumber(kFileNumber, rewrite_.number);
      result_.unique_id = UniqueId();
    }
    BlockWriter block;
    for (const auto& [name, value] : properties_) block.Add(name, value);
    return out_.AddBlock(block.Finish(), 0, &meta_[kPropertiesBlock], error);
  }

  // RocksDB table/unique_id.cc, GetSstInternalUniqueId.
  std::string UniqueId() {
    const uint64_t database = tables::UpperXxh3(properties_[kDatabaseId], rewrite_.session.upper);
    std::string id(16, '\0');
    kernels::StoreLittleEndian64(rewrite_.session.lower, id.data());
    kernels::StoreLittleEndian64(database ^ rewrite_.number, id.data() + 8);
    return id;
  }

  bool AddMetaindex(std::string* error) {
    BlockWriter block;
    for (const auto& [name, handle] : meta_) block.Add(name, BlockHandleText(handle));
    BlockHandle metaindex;
    return out_.AddBlock(block.Finish(), 0, &metaindex, error) &&
           out_.AddFooter(metaindex, index_, error);
  }

  const KnownTable& table_;
  const tables::TableParts& parts_;
  const TableRewrite& rewrite_;
  tables::TableWriter& out_;
  RewrittenTable& result_;
  BlockReader reader_;
  std::map<std::string, std::string> properties_;
  std::map<std::string, BlockHandle> meta_;
  BlockHandle index_;
};

// Partitions end where data blocks do: the index has separators there, so no comparator is needed
// to make them.
class RocksDBWalk final : public TableWalk {
 public:
  RocksDBWalk(const KnownTable& known, const TableRewrite& rewrite, tables::TableWriter* out)
      : TableWalk(*known.table, out),
        known_(known),
        rewrite_(rewrite),
        is_partitioned_(known.table->filter_kind() == tables::FilterKind::kPartitioned),
        filter_(rewrite) {}

  bool WriteTail(RewrittenTable* result, std::string* error) override {
    EndFilter();
    if (!rewrite_.without_filter) result->num_filter_entries = num_filter_entries_;
    return TailWriter(known_, rewrite_, out_, result).Write(std::move(filters_of_table_), error);
  }

 private:
  void AddKey(std::string_view key) override {
    if (keys_.whole_keys) filter_.AddKey(key);
  }
  void AddPrefix(std::string_view prefix) override { filter_.AddPrefix(prefix); }

  void BeginBlock() override {
    if (!is_partitioned_) return;
    if (IsFull()) BeginPartition();
    entries_before_block_ = filter_.num_entries();
    separator_.assign(entry().block_separator());
  }

  // A partition is given as many bytes as the old ones had on average: it ends at the data
  // block that is nearest to them.
  bool IsFull() {
    if (partition_bytes_ == 0) {
      constexpr uint64_t kDefault = 4096;  // RocksDB's metadata_block_size
      const uint64_t index_bytes = known_.parts().filter.size;
      const uint64_t bytes = known_.parts().stored_properties.Number(kFilterSize, 0);
      const uint64_t partitions = filters_.reader().num_filters();
      partition_bytes_ =
          partitions == 0 || bytes <= index_bytes ? kDefault : (bytes - index_bytes) / partitions;
    }
    const uint64_t entries = filter_.num_entries();
    return entries != 0 &&
           filter_.BytesFor(entries + (entries - entries_before_block_) / 2) >= partition_bytes_;
  }

  // A seek may lead to a partition that ends before the first key with the sought prefix, or begins
  // behind the last one. So both partitions have the prefixes of the keys on either side.
  void BeginPartition() {
    AddPrefixOf(keys_.Key(entry().user_key()));
    EndFilter();
    AddPrefixOf(last_key());
    ForgetLast();
  }

  void AddPrefixOf(std::string_view key) {
    std::string_view prefix;
    if (keys_.Prefix(key, &prefix)) filter_.AddPrefix(prefix);
  }

  void EndFilter() {
    num_filter_entries_ += filter_.num_entries();
    std::string bytes = filter_.Finish();
    constexpr uint64_t kCopies = 3;  // also in the index of partitions
    known_.parts().blocks.memory.Take(kCopies * separator_.size());
    filters_of_table_.emplace_back(separator_, std::move(bytes));
  }

  const KnownTable& known_;
  const TableRewrite& rewrite_;
  const bool is_partitioned_;
  uint64_t partition_bytes_ = 0;
  uint64_t entries_before_block_ = 0;  // of the filter, before the last data block
  TableFilterWriter filter_;
  std::string separator_;  // of the current block
  NewFilters filters_of_table_;
  uint64_t num_filter_entries_ = 0;
};

}  // namespace

std::unique_ptr<TableWalk> NewRocksDBWalk(const KnownTable& table, const TableRewrite& rewrite,
                                          tables::TableWriter* out) {
  return std::make_unique<RocksDBWalk>(table, rewrite, out);
}

}  // namespace bloomline::db
