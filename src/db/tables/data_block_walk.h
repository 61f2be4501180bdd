// Walks over the index of a table.
#ifndef BLOOMLINE_DB_TABLES_DATA_BLOCK_WALK_H_
#define BLOOMLINE_DB_TABLES_DATA_BLOCK_WALK_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/db/tables/block_cursor.h"
#include "src/db/tables/block_file.h"
#include "src/db/tables/table_parts.h"

namespace bloomline::tables {

constexpr const char* kDataBlock = "data block";

// The handles of all data blocks, in file order.
class DataBlockWalk {
 public:
  explicit DataBlockWalk(const TableParts* parts)
      : parts_(*parts),
        top_reader_(&parts->blocks, BlockReader::Access::kRandom),
        reader_(&parts->blocks, BlockReader::Access::kSequential),
        top_(&parts->blocks, parts->index_form),
        partition_(&parts->blocks, parts->index_form) {}

  bool Open(std::string* error) {
    constexpr const char* kIndex = "index block";
    std::string_view contents;
    return top_reader_.Read(kIndex, parts_.index, &contents, error) &&
           top_.Open(kIndex, parts_.index, contents, error) &&
           (!has_two_levels() || NextPartition(error) || error->empty());
  }

  // Returns false at the end, and with *error on damage. A block never begins before the end of the
  // one before it, so the file's size bounds the cost of a damaged index.
  bool Next(BlockHandle* handle, std::string* error) {
    IndexBlockCursor& cursor = has_two_levels() ? partition_ : top_;
    while (!cursor.Next(error)) {
      if (!error->empty() || !has_two_levels() || !NextPartition(error)) return false;
    }
    *handle = cursor.handle();
    return IsBehind(kDataBlock, *handle, &data_end_, error);
  }

  // The index's key for the last block: not before the block's keys, and before those behind it.
  std::string_view separator() const {
    return has_two_levels() ? partition_.separator() : top_.separator();
  }

 private:
  bool has_two_levels() const { return parts_.index_form.has_two_levels; }

  bool NextPartition(std::string* error) {
    constexpr const char* kPartition = "index partition";
    if (!top_.Next(error)) return false;
    const BlockHandle& handle = top_.handle();
    std::string_view contents;
    return IsBehind(kPartition, handle, &partitions_end_, error) &&
           reader_.Read(kPartition, handle, &contents, error) &&
           partition_.Open(kPartition, handle, contents, error);
  }

  bool IsBehind(const char* what, const BlockHandle& handle, uint64_t* end, std::string* error) {
    if (handle.offset < *end) {
      return parts_.blocks.Damaged(error, what, handle.offset,
                                   "the index leads back to it, from offset ", *end);
    }
    *end = handle.offset + handle.size;  // BlockReader checks that the block is in the file
    return *end >= handle.offset ||
           parts_.blocks.Damaged(error, what, handle.offset, "its size is beyond all files");
  }

  const TableParts& parts_;
  BlockReader top_reader_;
  BlockReader reader_;
  IndexBlockCursor top_;
  IndexBlockCursor partition_;
  uint64_t partitions_end_ = 0;
  uint64_t data_end_ = 0;
};

}  // namespace bloomline::tables

#endif  // BLOOMLINE_DB_TABLES_DATA_BLOCK_WALK_H_
