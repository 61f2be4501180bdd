#include "src/db/rewrite/rocksdb_table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "bloomline/seed.h"
#include "src/db/engine_filters/engine_filter.h"
#include "src/db/key_walk.h"
#include "src/db/rewrite/table_blocks.h"
#include "src/db/rewrite/table_filter.h"
#include "src/db/sstable/bytes/block_writer.h"
#include "src/db/sstable/bytes/checksum.h"
#include "src/db/sstable/bytes/coding.h"
#include "src/db/sstable/table.h"
#include "src/db/sstable/table_writer.h"
#include "src/support/number_text.h"

namespace bloomline::db {
namespace {

using engine_filters::EngineFilter;
using sstable::BlockHandle;
using sstable::BlockReader;
using sstable::BlockWriter;
using sstable::FilterKind;
using support::Refuse;
using support::StrCat;

// Walks over the different keys of a table, and queries its filter for each.
class QueryWalk : public KeyWalk {
 public:
  explicit QueryWalk(const sstable::Table& table) : KeyWalk(table) {}

  bool has_lost_key() const { return !lost_.empty(); }
  const std::string& lost() const { return lost_; }     // a sentence about the first key
  bool is_proven() const { return unproven_.empty(); }  // every query had an answer
  const std::string& unproven() const { return unproven_; }
  uint64_t num_entries() const { return num_entries_; }
  uint64_t data_end() const { return data_end_; }

 protected:
  std::string_view last_key() const { return last_key_; }
  // The next key counts even if it is the last one again.
  void ForgetLastKey() { has_last_ = false; }

  virtual void AddKey(std::string_view /*key*/) {}
  virtual void AddPrefix(std::string_view /*prefix*/) {}
  virtual bool BeginBlock(std::string* /*error*/) { return true; }

 private:
  // Versions of one key may be in two partitions.
  bool OpenFilter(std::optional<uint64_t> /*before*/, std::string* /*error*/) override {
    ForgetLastKey();
    return true;
  }

  bool AddEntry(std::string* error) override {
    ++num_entries_;
    if (entry().entry_in_block() == 0) {
      data_end_ = entry().block_end();
      if (!BeginBlock(error)) return false;
    }
    const std::string_view user_key = entry().user_key();
    if (user_key.size() < keys_.order.timestamp_bytes) {
      return Refuse(error, table_.path(), ": a key of ", user_key.size(),
                    " bytes has no timestamp");
    }
    const std::string_view key = keys_.Key(user_key);
    if (has_last_ && last_key_ == key) return true;  // another version of it
    has_last_ = true;
    last_key_.assign(key);
    if (keys_.whole_keys) {
      AddKey(key);
      if (!Ask(filter(), user_key, key.size(), Purpose::kKey, error)) return false;
    }
    std::string_view prefix;
    if (!keys_.prefixes || !keys_.Prefix(key, &prefix)) return true;
    AddPrefix(prefix);
    return Ask(filter(), user_key, prefix.size(), Purpose::kPrefix, error);
  }

  void Answer(const Query& query, const EngineFilter* filter, bool may_match) override {
    if (filter == nullptr) {
      unproven_ = IsFilter(query.filter) || query.filter == sstable::Table::FilterReader::kNoFilter
                      ? "it has no filter"
                      : "it is not known which of its partitions have its keys";
    } else if (!filter->CanQuery()) {
      unproven_ = filter->why;
    } else if (filter->kind == engine_filters::Kind::kAlwaysMatch) {
      unproven_ = "its filter matches every key";
    }
    if (may_match || !lost_.empty()) return;
    lost_ = StrCat(table_.path(), ": the filter lacks ",
                   query.purpose == Purpose::kPrefix ? "the prefix of " : "", "the key of entry ",
                   query.place.entry, " in the data block at offset ", query.place.block_offset);
    Stop();
  }

  bool has_last_ = false;
  std::string last_key_;
  uint64_t num_entries_ = 0;
  uint64_t data_end_ = 0;
  std::string lost_;
  std::string unproven_;
};

// The filters of a new table.
struct NewFilters {
  // Partitions with their separators; or one filter, whose separator means nothing.
  std::vector<std::pair<std::string, std::string>> filters;
  uint64_t num_entries = 0;
};

// The bytes of a partition of the new filter: as many as the old ones had on average.
uint64_t PartitionBytes(const TableBlocks& blocks, uint64_t num_partitions) {
  constexpr uint64_t kDefault = 4096;  // RocksDB's metadata_block_size
  const uint64_t bytes = blocks.Number(kFilterSize, 0);
  return num_partitions == 0 || bytes == 0 ? kDefault : bytes / num_partitions;
}

// Copies the data blocks meanwhile, and builds the new filters. Partitions end where data blocks
// do: the index has separators there, so no comparator is needed to make them.
class SourceWalk final : public QueryWalk {
 public:
  SourceWalk(const TableBlocks& blocks, const TableRewrite& rewrite, sstable::TableWriter* out)
      : QueryWalk(*blocks.table),
        blocks_(blocks),
        bits_per_key_(rewrite.bits_per_key),
        is_partitioned_(blocks.table->filter_kind() == FilterKind::kPartitioned),
        filter_(rewrite),
        out_(*out) {}

  // The filters of all keys, once the walk is done.
  NewFilters TakeFilters() {
    EndFilter();
    return std::move(built_);
  }

 private:
  void AddKey(std::string_view key) override { filter_.AddKey(key); }
  void AddPrefix(std::string_view prefix) override { filter_.AddPrefix(prefix); }

  bool BeginBlock(std::string* error) override {
    if (is_partitioned_) {
      if (IsFull()) BeginPartition();
      separator_.assign(entry().block_separator());
    }
    if (entry().block_offset() < out_.offset()) {
      return Refuse(error, table_.path(), ": the data block at offset ", entry().block_offset(),
                    " begins in the one before, which ends at ", out_.offset());
    }
    // Between blocks there may be bytes that fill up pages.
    return out_.CopyUpTo(blocks_.parts().blocks.file, entry().block_offset(), error) &&
           out_.Append(entry().stored_block(), error);
  }

  bool IsFull() {
    if (partition_bytes_ == 0) {
      partition_bytes_ = PartitionBytes(blocks_, filters_.reader().num_filters());
    }
    const double bits = static_cast<double>(filter_.num_entries()) * bits_per_key_;
    return bits >= 8 * static_cast<double>(partition_bytes_);
  }

  // A seek may lead to a partition that ends before the first key with the sought prefix, or begins
  // behind the last one. So both partitions have the prefixes of the keys on either side.
  void BeginPartition() {
    AddPrefixOf(keys_.Key(entry().user_key()));
    EndFilter();
    AddPrefixOf(last_key());
    ForgetLastKey();
  }

  void AddPrefixOf(std::string_view key) {
    std::string_view prefix;
    if (keys_.prefixes && keys_.Prefix(key, &prefix)) filter_.AddPrefix(prefix);
  }

  void EndFilter() {
    built_.num_entries += filter_.num_entries();
    std::string bytes = filter_.Finish();
    built_.filters.emplace_back(separator_, std::move(bytes));
  }

  const TableBlocks& blocks_;
  const double bits_per_key_;
  const bool is_partitioned_;
  uint64_t partition_bytes_ = 0;
  TableFilter filter_;
  std::string separator_;  // of the current block
  NewFilters built_;
  sstable::TableWriter& out_;
};

// Writes everything behind the data blocks.
class TailWriter {
 public:
  TailWriter(const TableBlocks& blocks, const TableRewrite& rewrite, sstable::TableWriter* out)
      : blocks_(blocks),
        parts_(blocks.parts()),
        rewrite_(rewrite),
        out_(*out),
        reader_(&parts_.blocks, BlockReader::Access::kRandom),
        properties_(blocks.properties) {}

  bool Write(NewFilters filters, RewrittenTable* result, std::string* error) {
    return AddFilters(std::move(filters), result, error) && MoveBlocks(error) &&
           AddProperties(result, error) && AddMetaindex(error);
  }

 private:
  bool AddFilters(NewFilters filters, RewrittenTable* result, std::string* error) {
    result->num_filter_entries = filters.num_entries;
    const bool is_partitioned = blocks_.table->filter_kind() == FilterKind::kPartitioned;
    BlockWriter index(!parts_.internal.index.has_deltas);
    BlockHandle handle;
    for (auto& [separator, bytes] : filters.filters) {
      if (!out_.AddBlock(std::move(bytes), 0, &handle, error)) return false;
      result->filter_bytes += handle.size;
      index.Add(separator, sstable::BlockHandleText(handle));
    }
    if (is_partitioned) {
      if (!out_.AddBlock(index.Finish(), 0, &handle, error)) return false;
      result->filter_bytes += handle.size;
    }
    const char* const kind = is_partitioned ? "partitionedfilter." : "fullfilter.";
    meta_[StrCat(kind, engine_filters::kRocksDBName)] = handle;
    return true;
  }

  bool Move(const char* what, const BlockHandle& from, BlockHandle* to, std::string* error) {
    const char* stored;
    if (!reader_.ReadStored(what, from, &stored, error)) return false;
    if (parts_.blocks.verify_checksums && !reader_.HasRightChecksum(stored, from)) {
      return parts_.blocks.Damaged(error, what, from.offset, "its checksum is wrong");
    }
    std::string bytes(stored, static_cast<size_t>(from.size));
    return out_.AddBlock(std::move(bytes), static_cast<uint8_t>(stored[from.size]), to, error);
  }

  bool MoveBlocks(std::string* error) {
    const bool has_two_levels = parts_.internal.index.has_two_levels;
    if (!(has_two_levels ? AddTopIndex(error)
                         : Move("index block", parts_.index, &index_, error))) {
      return false;
    }
    if (blocks_.meta.count(kIndexBlock) != 0) meta_[kIndexBlock] = index_;
    for (const auto& [name, handle] : blocks_.meta) {
      const bool is_filter = name.find("filter.") != name.npos;
      if (is_filter || name == kPropertiesBlock || name == kIndexBlock) continue;
      if (!Move(name.c_str(), handle, &meta_[name], error)) return false;
    }
    return true;
  }

  // Moves the partitions of the index, and writes their handles in full.
  bool AddTopIndex(std::string* error) {
    BlockWriter top(!parts_.internal.index.has_deltas);
    for (const auto& [separator, handle] : blocks_.index_partitions) {
      BlockHandle moved;
      if (!Move("index partition", handle, &moved, error)) return false;
      top.Add(separator, sstable::BlockHandleText(moved));
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
  void ChangeProperties(RewrittenTable* result) {
    const FilterKeys keys(*blocks_.table);
    SetNumber(kFilterSize, result->filter_bytes);
    if (properties_.count(kFilterEntries) != 0) {
      SetNumber(kFilterEntries, result->num_filter_entries);
    }
    std::string& policy = properties_[kFilterPolicy];
    if (policy.empty()) policy = engine_filters::kRocksDBName;
    properties_[kWholeKeys] = keys.whole_keys ? "1" : "0";
    properties_[kPrefixes] = keys.prefixes ? "1" : "0";
    if (properties_.count(kSession) == 0 || properties_.count(kFileNumber) == 0) return;
    properties_[kSession] = rewrite_.session.text;
    SetNumber(kFileNumber, rewrite_.number);
    result->unique_id = UniqueId();
  }

  // RocksDB table/unique_id.cc, GetSstInternalUniqueId.
  std::string UniqueId() {
    const uint64_t database = sstable::UpperXxh3(properties_[kDatabaseId], rewrite_.session.upper);
    char id[16];
    kernels::StoreLittleEndian64(rewrite_.session.lower, id);
    kernels::StoreLittleEndian64(database ^ rewrite_.number, id + 8);
    return std::string(id, sizeof(id));
  }

  bool AddProperties(RewrittenTable* result, std::string* error) {
    ChangeProperties(result);
    BlockWriter block;
    for (const auto& [name, value] : properties_) block.Add(name, value);
    return out_.AddBlock(block.Finish(), 0, &meta_[kPropertiesBlock], error);
  }

  bool AddMetaindex(std::string* error) {
    BlockWriter block;
    for (const auto& [name, handle] : meta_) block.Add(name, sstable::BlockHandleText(handle));
    BlockHandle metaindex;
    return out_.AddBlock(block.Finish(), 0, &metaindex, error) &&
           out_.AddFooter(metaindex, index_, error);
  }

  const TableBlocks& blocks_;
  const sstable::TableParts& parts_;
  const TableRewrite& rewrite_;
  sstable::TableWriter& out_;
  BlockReader reader_;
  std::map<std::string, std::string> properties_;
  std::map<std::string, BlockHandle> meta_;
  BlockHandle index_;
};

// The offset at which the tail begins, behind data blocks that end at data_end and bytes that fill
// up the last one. Returns false with *error if a block of the tail is before it.
bool FindTail(const TableBlocks& blocks, uint64_t data_end, uint64_t* tail_start,
              std::string* error) {
  const sstable::TableParts& parts = blocks.parts();
  *tail_start = blocks.Number(kTailStart, data_end);
  uint64_t first = std::min(parts.index.offset, parts.blocks.footer.metaindex.offset);
  for (const auto& [name, handle] : blocks.meta) {
    if (handle.size > 0) first = std::min(first, handle.offset);
  }
  for (const auto& [separator, handle] : blocks.index_partitions) {
    first = std::min(first, handle.offset);
  }
  return (*tail_start >= data_end && *tail_start <= first) ||
         Refuse(error, blocks.table->path(), ": its data blocks end at offset ", data_end,
                ", its properties say that others begin at ", *tail_start,
                ", and the first of these begins at ", first);
}

// Returns an empty text if an answer of "not proven" is enough.
std::string WithoutProof(const sstable::Table& table, const std::string& unproven) {
  if (unproven.empty() || sstable::OrderOf(table.properties()).is_known) return "";
  return StrCat(table.path(), ": nothing shows what its filter should hold: ", unproven,
                ", and the comparator ", table.properties().comparator, " is not RocksDB's");
}

// Whether a new filter makes sense; if not, *reason says why the table can stay as it is.
Verdict Judge(const sstable::Table& table, std::string* reason) {
  const auto left = [&](const char* why) {
    *reason = table.path() + ": " + why;
    return Verdict::kLeft;
  };
  const sstable::Properties& properties = table.properties();
  const FilterKeys keys(table);
  const auto count = [](uint64_t n) { return n == sstable::kUnknownCount ? 0 : n; };
  if (count(properties.num_entries) <= count(properties.num_range_deletions)) {
    return left("has no keys");
  }
  if (!keys.whole_keys && !keys.prefixes) return left("has filters of neither keys nor prefixes");
  if (table.filter_kind() == FilterKind::kNone && !sstable::OrderOf(properties).is_known) {
    return left("has no filter, which would show what its comparator's keys are");
  }
  return Verdict::kRewritable;
}

}  // namespace

TableFacts CheckTable(const TableSource& source) {
  TableBlocks blocks;
  TableFacts facts;
  facts.verdict = OpenBlocks(source, &blocks, &facts.reason);
  if (facts.verdict != Verdict::kRewritable) return facts;
  facts.format_version = blocks.table->format_version();
  facts.has_session = blocks.properties.count(kSession) != 0;
  facts.verdict = Judge(*blocks.table, &facts.reason);
  return facts;
}

bool NewSession(Session* session, std::string* error) {
  uint64_t upper;
  if (!DrawSeed(&upper, error) || !DrawSeed(&session->lower, error)) return false;
  session->upper = upper >> 25;  // 39 bits
  // RocksDB's EncodeSessionId: 8 and 12 digits of base 36.
  constexpr uint64_t kLowMask = (uint64_t{1} << 62) - 1;
  constexpr const char* kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  session->text.assign(20, '0');
  const auto write = [&](uint64_t number, size_t begin, size_t end) {
    for (size_t i = end; i-- > begin; number /= 36) session->text[i] = kDigits[number % 36];
  };
  write(session->upper << 2 | session->lower >> 62, 0, 8);
  write(session->lower & kLowMask, 8, 20);
  return true;
}

Outcome RewriteTable(const TableSource& source, const TableRewrite& rewrite, support::ByteSink* out,
                     RewrittenTable* result, std::string* error) {
  TableBlocks blocks;
  const Verdict verdict = OpenBlocks(source, &blocks, error);
  if (verdict != Verdict::kRewritable) {
    return verdict == Verdict::kRefused ? Outcome::kRefused : Outcome::kFailed;
  }
  const sstable::TableParts& parts = blocks.parts();
  sstable::TableWriter writer(&parts.blocks.footer, out);
  SourceWalk walk(blocks, rewrite, &writer);
  if (!walk.Run(error)) return Outcome::kFailed;
  if (walk.has_lost_key()) {
    *error = walk.lost();
    return Outcome::kLacksKey;
  }
  *error = WithoutProof(*blocks.table, walk.unproven());
  if (!error->empty()) return Outcome::kRefused;
  uint64_t tail_start;
  if (!FindTail(blocks, walk.data_end(), &tail_start, error) ||
      !writer.CopyUpTo(parts.blocks.file, tail_start, error) ||
      !TailWriter(blocks, rewrite, &writer).Write(walk.TakeFilters(), result, error)) {
    return Outcome::kFailed;
  }
  result->num_entries = walk.num_entries();
  result->bytes = writer.offset();
  result->tail_bytes = writer.offset() - tail_start;
  result->crc32c = writer.crc32c();
  return Outcome::kDone;
}

Outcome CheckRewrittenTable(const std::string& path, const TableSource& source,
                            const RewrittenTable& result, std::string* error) {
  TableBlocks blocks;
  if (OpenBlocks({path, source.comparator, result.bytes}, &blocks, error) != Verdict::kRewritable) {
    return Outcome::kFailed;
  }
  QueryWalk walk(*blocks.table);
  if (!walk.Run(error)) return Outcome::kFailed;
  if (walk.has_lost_key()) {
    *error = walk.lost();
  } else if (walk.num_entries() != result.num_entries) {
    Refuse(error, path, ": has ", walk.num_entries(), " entries; it should have ",
           result.num_entries);
  } else if (!walk.is_proven()) {
    Refuse(error, path, ": its new filter cannot be checked: ", walk.unproven());
  }
  return error->empty() ? Outcome::kDone : Outcome::kFailed;
}

}  // namespace bloomline::db
