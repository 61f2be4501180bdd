// Tables of LevelDB and RocksDB (block-based SSTables), read without either engine. Nothing is
// locked or written.
//
// Formats: LevelDB doc/table_format.md; RocksDB include/rocksdb/table.h (format_version 0 to 7),
// table/format.h and table/block_based. Any bytes are safe: errors name the file and the offset of
// the damage, or an unknown version. If memory runs out, functions throw std::bad_alloc, which the
// command catches to name the file; if a limit does, MemoryError.
#ifndef BLOOMLINE_DB_TABLES_TABLE_H_
#define BLOOMLINE_DB_TABLES_TABLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/db/tables/bytes/decompressor.h"  // Engine

namespace bloomline::tables {

struct BlockHandle {
  uint64_t offset = 0;
  uint64_t size = 0;  // bytes of the stored block, without its trailer of 5 bytes
};

enum class FilterKind {
  kNone,
  kByOffset,     // a filter for each 2 KiB of offsets: LevelDB, and RocksDB's block-based filters
  kFull,         // RocksDB: one filter of all keys
  kPartitioned,  // RocksDB: filters of key ranges, found through an index
  kUnknown,      // the metaindex names a filter in none of these ways
};

// The content of the metaindex and the properties block, with RocksDB's names. A LevelDB table
// lacks properties, and its counts are unknown (kUnknownCount).
constexpr uint64_t kUnknownCount = ~uint64_t{0};
struct Properties {
  uint64_t num_entries = kUnknownCount;
  uint64_t num_range_deletions = kUnknownCount;
  uint64_t num_filter_entries = kUnknownCount;  // distinct keys and prefixes; from RocksDB 6.21 on
  uint64_t index_bytes = kUnknownCount;         // before compression, all partitions
  std::string filter_policy;                    // as RocksDB records it
  std::string comparator;
  std::string prefix_extractor;  // empty: none
  bool whole_key_filtering = true;
  bool prefix_filtering = false;
  // False: the comparator's timestamps were stripped when the table was written, and keys have none
  // (RocksDB's persist_user_defined_timestamps=false).
  bool keys_have_timestamps = true;
};

struct OpenOptions {
  bool verify_checksums = true;  // of every block that is read
  // The database's comparator, for LevelDB's tables, which do not name one. Empty: bytewise.
  std::string comparator;
  uint64_t memory = 0;  // in bytes, the most that the table's readers take; 0: Memory::Limit
};

// Whether the file ends as tables of Pebble do, which cannot be opened.
bool IsPebbleTable(const std::string& path);

struct TableParts;  // table_parts.h

// One SSTable. Thread-safe after Open. Keeps the footer, the properties and offsets, but not the
// blocks. No size in the file is trusted: a block must lie in the file and have 4 GiB at most, or
// 1 GiB when it was compressed.
class Table {
 public:
  // Returns null with *error: the file, and what is wrong.
  static std::unique_ptr<Table> Open(const std::string& path, const OpenOptions& options,
                                     std::string* error);
  ~Table();

  const std::string& path() const;
  uint64_t file_bytes() const;
  Engine engine() const;
  int format_version() const;  // RocksDB's; 0 for LevelDB
  bool has_checksums() const;  // RocksDB can write blocks without them
  const Properties& properties() const;
  // Whether keys end in a sequence number and a type, as far as the first two show. In a database
  // they do; LevelDB's TableBuilder on its own writes the keys that a program gives it.
  bool HasSequenceNumbers() const;
  uint64_t index_bytes() const;  // the size in memory if the table records it, else as stored

  FilterKind filter_kind() const;
  // The name in the filter block's entry of the metaindex, without "filter.", "fullfilter." or
  // "partitionedfilter.": "leveldb.BuiltinBloomFilter2", "rocksdb.BuiltinBloomFilter", "bloomline".
  // If kUnknown, the whole name.
  const std::string& filter_name() const;
  // The whole name, and those of filters that only other policies read.
  const std::vector<std::string>& filter_entries() const;
  // Reads the filters' bytes in the form that the engine's policy or reader gets. kFull has one
  // filter; kPartitioned, one for each partition; kByOffset, one for each range of offsets, mostly
  // empty ones without keys; kUnknown, the block. This call reads the partition index for
  // kPartitioned, all filters for kByOffset, and nothing for others. The reader keeps the last
  // filter that it read.
  class FilterReader;
  // Returns null with *error if the table is damaged, or has no filters.
  std::unique_ptr<FilterReader> NewFilterReader(std::string* error) const;

  // Where its blocks are, for programs that write them anew.
  const TableParts& parts() const { return *parts_; }

  // The keys of the table in file order.
  class KeyReader;
  std::unique_ptr<KeyReader> NewKeyReader(std::string* error) const;

 private:
  explicit Table(std::unique_ptr<const TableParts> parts);

  const std::unique_ptr<const TableParts> parts_;
};

// Not thread-safe. The table must outlive it.
class Table::FilterReader {
 public:
  static constexpr unsigned kLevelDBBaseLg = 11;

  virtual ~FilterReader() = default;
  virtual uint64_t num_filters() const = 0;
  // The bytes are valid until the next call. Returns false with *error if the table is damaged.
  virtual bool Read(uint64_t index, std::string_view* bytes, std::string* error) = 0;
  // In kByOffset, a filter covers the data blocks that begin in the same 2^base_lg() bytes.
  // LevelDB writes 11, and goleveldb whatever its program says.
  virtual unsigned base_lg() const { return kLevelDBBaseLg; }

  // Returns the number of the filter that the engine queries in a Get that could return the entry
  // with this user key, sequence number (kMaxSequence: a key that is not stored) and data block,
  // whose offset matters only in kByOffset. Fast in file order, correct in any.
  virtual uint64_t FilterOf(std::string_view user_key, uint64_t sequence,
                            uint64_t block_offset) const = 0;
  // The engine queries no filter: it is empty there, or the filters end before.
  static constexpr uint64_t kNoFilter = ~uint64_t{0};
  // The table has partitions, and its comparator is unknown (sstable/comparator.h). Then only for
  // stored entries the partition may be known: if partitions end where data blocks do.
  static constexpr uint64_t kUnknownFilter = ~uint64_t{0} - 1;
  static constexpr uint64_t kMaxSequence = (uint64_t{1} << 56) - 1;
};

// Not thread-safe. The table must outlive it.
class Table::KeyReader {
 public:
  virtual ~KeyReader() = default;
  // Returns false at the end, and on damage: then error() is not empty. At the end, the number of
  // entries has been compared with the properties' count, unless blocks were skipped.
  virtual bool Next() = 0;
  // Skips the rest of the current block, and the n blocks behind it without reading them. Next then
  // gives the first entry of the block after them, if there is one. Samples use this.
  virtual void SkipBlocks(uint64_t n) = 0;

  // The index's key for the current block: not before the block's keys, and before those behind it.
  // Valid until the next block.
  virtual std::string_view block_separator() const = 0;

  // The current block as the file has it, with its trailer: bytes from block_offset() to
  // block_end(). Valid until the next block.
  virtual std::string_view stored_block() const = 0;

  std::string_view user_key() const { return user_key_; }  // with its timestamp, if there is one
  std::string_view value() const { return value_; }
  uint64_t sequence() const { return sequence_; }  // an ingested file may have one for all keys
  uint8_t type() const { return type_; }  // RocksDB's ValueType; LevelDB has only its 0 and 1
  uint64_t block_offset() const { return block_.offset; }  // of the data block in the file
  uint64_t block_end() const { return block_.offset + block_.size + 5; }  // behind its trailer
  uint32_t entry_in_block() const { return entry_in_block_; }             // from 0 on
  const std::string& error() const { return error_; }

 protected:
  std::string_view user_key_;
  std::string_view value_;
  uint64_t sequence_ = 0;
  BlockHandle block_;
  uint32_t entry_in_block_ = 0;
  uint8_t type_ = 0;
  std::string error_;
};

}  // namespace bloomline::tables

#endif  // BLOOMLINE_DB_TABLES_TABLE_H_
