#ifndef BLOOMLINE_INSPECT_SSTABLE_KEY_READER_H_
#define BLOOMLINE_INSPECT_SSTABLE_KEY_READER_H_

#include <string>
#include <string_view>

#include "src/inspect/sstable/block_cursor.h"
#include "src/inspect/sstable/index_cursor.h"
#include "src/inspect/sstable/table_parts.h"

namespace bloomline::sstable {

class TableKeyReader final : public Table::KeyReader {
 public:
  explicit TableKeyReader(const TableParts* parts);
  bool Open(std::string* error);

  bool Next() override;
  void SkipBlocks(uint64_t n) override;
  std::string_view user_key() const override { return user_key_; }
  uint64_t sequence() const override { return sequence_; }
  uint8_t type() const override { return type_; }
  std::string_view value() const override { return entries_.value(); }
  uint64_t block_offset() const override { return block_.offset; }
  uint32_t entry_in_block() const override { return entry_in_block_; }
  const std::string& error() const override { return error_; }

 private:
  bool NextBlock();
  void LeaveBlock();  // what follows is that block's end
  bool AtEnd();
  bool Damaged(std::string_view problem);

  const TableParts* const parts_;
  DataBlockWalk walk_;
  BlockReader reader_;
  BlockCursor entries_;
  BlockHandle block_;
  uint64_t blocks_to_skip_ = 0;
  bool skips_ = false;
  bool is_done_ = false;
  uint64_t num_entries_ = 0;
  uint64_t data_bytes_ = 0;    // of the blocks that were read, decompressed
  uint64_t shared_bytes_ = 0;  // of all keys with the keys before them
  uint64_t max_shared_bytes_ = 0;
  uint32_t entry_in_block_ = 0;
  uint32_t next_entry_ = 0;
  std::string_view user_key_;
  uint64_t sequence_ = 0;
  uint8_t type_ = 0;
  std::string error_;
};

}  // namespace bloomline::sstable

#endif  // BLOOMLINE_INSPECT_SSTABLE_KEY_READER_H_
