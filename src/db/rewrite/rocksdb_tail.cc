#include "src/db/rewrite/rocksdb_tail.h"

#include <map>

#include "src/db/key_walk.h"
#include "src/db/sstable/bytes/block_writer.h"
#include "src/db/sstable/bytes/checksum.h"
#include "src/db/sstable/bytes/coding.h"
#include "src/support/number_text.h"

namespace bloomline::db {
namespace {

using sstable::BlockHandle;
using sstable::BlockHandleText;
using sstable::BlockReader;
using sstable::BlockWriter;

// Names in the properties block.
constexpr const char* kFilterEntries = "rocksdb.num.filter_entries";
constexpr const char* kFilterPolicy = "rocksdb.filter.policy";
constexpr const char* kWholeKeys = "rocksdb.block.based.table.whole.key.filtering";
constexpr const char* kPrefixes = "rocksdb.block.based.table.prefix.filtering";
constexpr const char* kDatabaseId = "rocksdb.creating.db.identity";
constexpr const char* kFileNumber = "rocksdb.original.file.number";
constexpr const char* kTopIndexSize = "rocksdb.top-level.index.size";

class TailWriter {
 public:
  TailWriter(const KnownTable& table, const TableRewrite& rewrite, sstable::TableWriter* out,
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
    const bool is_partitioned = parts_.filter_kind == sstable::FilterKind::kPartitioned;
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
      const bool is_filter = name.find("filter.") != name.npos;
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
    sstable::AppendVarint(number, &properties_[name]);
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
    const uint64_t database = sstable::UpperXxh3(properties_[kDatabaseId], rewrite_.session.upper);
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
  const sstable::TableParts& parts_;
  const TableRewrite& rewrite_;
  sstable::TableWriter& out_;
  RewrittenTable& result_;
  BlockReader reader_;
  std::map<std::string, std::string> properties_;
  std::map<std::string, BlockHandle> meta_;
  BlockHandle index_;
};

}  // namespace

bool WriteRocksDBTail(const KnownTable& table, const TableRewrite& rewrite, NewFilters filters,
                      sstable::TableWriter* out, RewrittenTable* result, std::string* error) {
  return TailWriter(table, rewrite, out, result).Write(std::move(filters), error);
}

}  // namespace bloomline::db
