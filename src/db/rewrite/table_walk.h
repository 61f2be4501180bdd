// Walks over the keys of a table that is rewritten, or was: copies its data blocks, and proves that
// its filter has every key.
#ifndef BLOOMLINE_DB_REWRITE_TABLE_WALK_H_
#define BLOOMLINE_DB_REWRITE_TABLE_WALK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "src/db/rewrite/known_table.h"
#include "src/db/rewrite/table_rewrite.h"
#include "src/db/survey/key_walk.h"
#include "src/db/tables/table_writer.h"

namespace bloomline::db {

class TableWalk : public KeyWalk {
 public:
  // The data blocks are written to `out`; null: nothing is copied.
  TableWalk(const tables::Table& table, tables::TableWriter* out) : KeyWalk(table), out_(out) {}

  const std::string& lost() const { return lost_; }          // a sentence about the first lost key
  const std::string& unproven() const { return unproven_; }  // why a query had no answer
  uint64_t num_entries() const { return num_entries_; }
  uint64_t data_end() const { return data_end_; }

  // Writes all that is behind the data blocks, once the walk is done.
  virtual bool WriteTail(RewrittenTable* /*result*/, std::string* /*error*/) { return true; }

 protected:
  // Called for the first entry of a block, and for each entry.
  virtual void BeginBlock() {}
  virtual void AddVersion(std::string_view /*user_key*/) {}

  tables::TableWriter* const out_;

 private:
  bool OpenFilter(std::optional<uint64_t> before, std::string* error) override;
  bool AddEntry(std::string* error) override;
  bool AskPrefix(uint64_t filter, std::string_view key, const EntryPlace& place,
                 std::string* error);
  void Answer(const Query& query, const engine_filters::EngineFilter* filter,
              bool may_match) override;
  bool CopyBlock(std::string* error);

  uint64_t num_entries_ = 0;
  uint64_t data_end_ = 0;
  std::string lost_;
  std::string unproven_;
};

// The walks that write the new tables of each engine. All arguments must outlive them.
std::unique_ptr<TableWalk> NewRocksDBWalk(const KnownTable& table, const TableRewrite& rewrite,
                                          tables::TableWriter* out);
std::unique_ptr<TableWalk> NewLevelDBWalk(const KnownTable& table, const TableRewrite& rewrite,
                                          tables::TableWriter* out);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_REWRITE_TABLE_WALK_H_
