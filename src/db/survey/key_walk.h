// Reads the filters of a table one at a time, and walks over its keys for verify and measure. The
// walk queries the filters that the engine would query, in batches of keys of one filter.
#ifndef BLOOMLINE_DB_SURVEY_KEY_WALK_H_
#define BLOOMLINE_DB_SURVEY_KEY_WALK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/db/engine_filters/engine_filter.h"
#include "src/db/tables/comparator.h"
#include "src/db/tables/table.h"

namespace bloomline::db {

engine_filters::Container ContainerOf(const tables::Table& table);

// Opens filters by number; the last one stays open. Not thread-safe.
class TableFilters {
 public:
  // Returns false with *error if the table is damaged.
  bool Init(const tables::Table& table, std::string* error);

  const tables::Table::FilterReader& reader() const { return *reader_; }
  // Valid until the next call with another index. Returns null with *error if the table is damaged.
  const engine_filters::EngineFilter* At(uint64_t index, std::string* error);
  uint64_t bytes() const { return bytes_; }  // of the open filter

 private:
  const tables::Table* table_ = nullptr;
  std::unique_ptr<tables::Table::FilterReader> reader_;
  uint64_t index_ = ~uint64_t{0};
  uint64_t bytes_ = 0;
  engine_filters::EngineFilter filter_;
};

// The keys and prefixes that an engine adds to a table's filters, and looks up in them.
struct FilterKeys {
  explicit FilterKeys(const tables::Table& table);

  // The key without its timestamp.
  std::string_view Key(std::string_view user_key) const {
    return tables::WithoutTimestamp(order, user_key);
  }
  // The prefix that the filter holds for a key (without timestamp). Returns false if it holds none.
  bool Prefix(std::string_view key, std::string_view* prefix) const {
    if (!prefixes || (!is_capped && key.size() < prefix_bytes)) return false;
    *prefix = key.substr(0, prefix_bytes);
    return true;
  }

  tables::KeyOrder order;
  std::string comparator;
  bool whole_keys = true;
  bool prefixes = false;   // filters hold the first prefix_bytes of keys, by a known extractor
  bool is_capped = false;  // shorter keys are prefixes, too
  size_t prefix_bytes = 0;
  // Why prefixes that the filters hold, or may hold, cannot be queried; empty: all can.
  std::string unknown;
};

// The place of an entry in a table.
struct EntryPlace {
  uint64_t sequence = 0;
  uint64_t block_offset = 0;  // of its data block in the file
  uint32_t entry = 0;         // in that block, from 0 on
};

class KeyWalk {
 public:
  virtual ~KeyWalk() = default;
  // Memory: one filter, one data block and 256 queries. Returns false with *error if the table is
  // damaged.
  bool Run(std::string* error);

 protected:
  enum class Purpose : uint8_t { kKey, kPrefix, kAdjacent, kElsewhere };

  struct Query {
    std::string_view key;
    std::string_view queried;  // the key, or its prefix
    Purpose purpose;
    uint64_t filter;   // its number
    EntryPlace place;  // of the entry that it is about
  };

  explicit KeyWalk(const tables::Table& table) : table_(table), keys_(table) {}

  // Called before the first entry of a block. Returns how many blocks, this one first, to skip.
  virtual uint64_t BlocksToSkip() { return 0; }
  // Called at the first entry, and if filter() differs from that of the entry before.
  virtual bool OpenFilter(std::optional<uint64_t> /*before*/, std::string* /*error*/) {
    return true;
  }
  virtual bool AddEntry(std::string* error) = 0;
  // Called after the last entry.
  virtual bool Finish(std::string* /*error*/) { return true; }
  // `filter` is null if the engine queries no filter here, or an unknown one. A filter that this
  // program cannot query matches.
  virtual void Answer(const Query& query, const engine_filters::EngineFilter* filter,
                      bool may_match) = 0;

  // For AddEntry: queries the filter for the entry's key and its prefix, unless they are those of
  // the entry before.
  bool VisitEntry(std::string* error);
  // VisitEntry calls these for each key and prefix, which have no timestamps. It calls AddKey even
  // if filters hold only prefixes, but nothing after IsQueried returned false.
  virtual bool IsQueried(std::string_view /*key*/) { return true; }
  virtual void AddKey(std::string_view /*key*/) {}
  virtual void AddPrefix(std::string_view /*prefix*/) {}
  // The next key and prefix count even if they are the last ones again.
  void ForgetLast();
  std::string_view last_key() const { return last_key_; }
  const EntryPlace& last_place() const { return last_place_; }

  // Queries filter number `filter` for the first `queried` bytes of the key, now or later.
  bool Ask(uint64_t filter, std::string_view key, size_t queried, Purpose purpose,
           const EntryPlace& place, std::string* error);
  bool AnswerAll(std::string* error);
  // Ends the walk after this entry; the last queries get no answer.
  void Stop() { is_stopped_ = true; }

  // Where the walk is.
  const tables::Table::KeyReader& entry() const { return *reader_; }
  uint64_t filter() const { return *filter_; }  // FilterReader::FilterOf
  EntryPlace place() const {
    return {reader_->sequence(), reader_->block_offset(), reader_->entry_in_block()};
  }
  static bool IsFilter(uint64_t index) {
    using FilterReader = tables::Table::FilterReader;
    return index != FilterReader::kNoFilter && index != FilterReader::kUnknownFilter;
  }

  const tables::Table& table_;
  const FilterKeys keys_;
  TableFilters filters_;

 private:
  struct Waiting {
    size_t begin;  // in bytes_
    size_t length;
    size_t queried;
    Purpose purpose;
    EntryPlace place;
  };

  bool OpenEntry(bool is_new_block, std::string* error);

  std::unique_ptr<tables::Table::KeyReader> reader_;
  bool has_last_ = false;
  std::string last_key_;  // that VisitEntry had
  EntryPlace last_place_;
  std::optional<std::string> last_prefix_;
  uint64_t block_ = ~uint64_t{0};
  std::optional<uint64_t> filter_;
  bool is_stopped_ = false;
  std::vector<Waiting> waiting_;
  std::string bytes_;  // their keys
  uint64_t waits_for_ = 0;
};

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_SURVEY_KEY_WALK_H_
