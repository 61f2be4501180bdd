#include "src/db/sstable/index_cursor.h"

namespace bloomline::sstable {
namespace {

constexpr const char* kIndex = "index block";
constexpr const char* kPartition = "index partition";

}  // namespace

bool IndexBlockCursor::Open(const char* what, const BlockHandle& block, std::string_view contents,
                            std::string* error) {
  what_ = what;
  offset_ = block.offset;
  handle_ = {};
  return cursor_.Open(contents, form_.engine) || Damaged(error);
}

bool IndexBlockCursor::Next(std::string* error) {
  const bool has_entry = form_.has_deltas ? cursor_.NextUnsized() : cursor_.Next();
  if (!has_entry) {
    if (cursor_.problem() != nullptr) Damaged(error);
    return false;
  }
  return DecodeValue() || file_->Damaged(what_, offset_, "a block handle is damaged", error);
}

bool IndexBlockCursor::DecodeValue() {
  std::string_view value = cursor_.value();
  if (form_.has_deltas && cursor_.shared_key_bytes() > 0) {
    // The block follows the one before, and its size is given as the difference, with zigzag signs.
    uint64_t coded;
    if (!TakeVarint(&value, &coded)) return false;
    const uint64_t difference = (coded >> 1) ^ (~(coded & 1) + 1);
    handle_.offset += handle_.size + kBlockTrailerBytes;
    handle_.size += difference;
  } else if (!TakeBlockHandle(&value, &handle_)) {
    return false;
  }
  if (!form_.has_deltas) return true;
  if (form_.has_first_keys) {
    uint32_t size;
    if (!TakeVarint(&value, &size) || size > value.size()) return false;
    value.remove_prefix(size);
  }
  cursor_.EndValue(value.data());
  return true;
}

bool IndexBlockCursor::Damaged(std::string* error) const {
  return file_->Damaged(what_, offset_, cursor_.problem(), error);
}

namespace {

// The index over index blocks has the same form, but no first keys: RocksDB does not write both.
IndexForm TopForm(IndexForm form) {
  form.has_first_keys = form.has_first_keys && !form.has_two_levels;
  return form;
}

}  // namespace

DataBlockWalk::DataBlockWalk(const BlockFile* file, const IndexForm& form, const BlockHandle& index)
    : file_(file),
      has_two_levels_(form.has_two_levels),
      index_(index),
      top_reader_(file, BlockReader::Access::kRandom),
      reader_(file, BlockReader::Access::kSequential),
      top_(file, TopForm(form)),
      partition_(file, form) {}

bool DataBlockWalk::Open(std::string* error) {
  std::string_view contents;
  if (!top_reader_.Read(kIndex, index_, &contents, error) ||
      !top_.Open(kIndex, index_, contents, error)) {
    return false;
  }
  return !has_two_levels_ || NextPartition(error) || error->empty();
}

bool DataBlockWalk::IsBehind(const char* what, const BlockHandle& handle, uint64_t* end,
                             std::string* error) {
  if (handle.offset < *end) {
    return file_->Damaged(what, handle.offset,
                          "the index leads back to it, from offset " + std::to_string(*end), error);
  }
  *end = handle.offset + handle.size;  // BlockReader checks that it is in the file
  if (*end >= handle.offset) return true;
  return file_->Damaged(what, handle.offset, "its size is beyond all files", error);
}

bool DataBlockWalk::NextPartition(std::string* error) {
  if (!top_.Next(error)) return false;
  const BlockHandle& handle = top_.handle();
  std::string_view contents;
  return IsBehind(kPartition, handle, &partitions_end_, error) &&
         reader_.Read(kPartition, handle, &contents, error) &&
         partition_.Open(kPartition, handle, contents, error);
}

bool DataBlockWalk::Next(BlockHandle* handle, std::string* error) {
  IndexBlockCursor& cursor = has_two_levels_ ? partition_ : top_;
  while (!cursor.Next(error)) {
    if (!error->empty() || !has_two_levels_ || !NextPartition(error)) return false;
  }
  *handle = cursor.handle();
  return IsBehind("data block", *handle, &data_end_, error);
}

}  // namespace bloomline::sstable
