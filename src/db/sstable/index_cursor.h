// Index blocks: RocksDB table/block_based/index_builder.h, and format.h, IndexValue.
#ifndef BLOOMLINE_DB_SSTABLE_INDEX_CURSOR_H_
#define BLOOMLINE_DB_SSTABLE_INDEX_CURSOR_H_

#include <string>
#include <string_view>

#include "src/db/sstable/block_cursor.h"
#include "src/db/sstable/block_file.h"

namespace bloomline::sstable {

struct IndexForm {
  Engine engine = Engine::kRocksDB;
  bool has_two_levels = false;  // the index has blocks, which an index leads to
  bool has_user_keys = false;   // separators without sequence number and type
  bool has_deltas = false;      // a handle may be only the size's difference to the one before
  bool has_first_keys = false;  // the first key of each block is behind its handle
};

// The handles in one index block.
class IndexBlockCursor {
 public:
  IndexBlockCursor(const BlockFile* file, const IndexForm& form) : file_(file), form_(form) {}

  // `contents` must not change.
  bool Open(const char* what, const BlockHandle& block, std::string_view contents,
            std::string* error);
  // Returns false at the end, and with *error if the block is damaged.
  bool Next(std::string* error);

  std::string_view separator() const { return cursor_.key(); }
  const BlockHandle& handle() const { return handle_; }

 private:
  bool DecodeValue();
  bool Damaged(std::string* error) const;

  const BlockFile* const file_;
  const IndexForm form_;
  BlockCursor cursor_;
  const char* what_ = "";
  uint64_t offset_ = 0;
  BlockHandle handle_;
};

// The handles of all data blocks, in file order.
class DataBlockWalk {
 public:
  DataBlockWalk(const BlockFile* file, const IndexForm& form, const BlockHandle& index);

  bool Open(std::string* error);
  // Returns false at the end, and with *error on damage. A block never begins before the end of the
  // one before it, so the file's size bounds the cost of a damaged index.
  bool Next(BlockHandle* handle, std::string* error);

 private:
  bool NextPartition(std::string* error);
  bool IsBehind(const char* what, const BlockHandle& handle, uint64_t* end, std::string* error);

  const BlockFile* const file_;
  const bool has_two_levels_;
  const BlockHandle index_;
  BlockReader top_reader_;
  BlockReader reader_;
  IndexBlockCursor top_;
  IndexBlockCursor partition_;
  uint64_t partitions_end_ = 0;
  uint64_t data_end_ = 0;
};

}  // namespace bloomline::sstable

#endif  // BLOOMLINE_DB_SSTABLE_INDEX_CURSOR_H_
