#include "src/db/tables/block_cursor.h"

namespace bloomline::tables {
namespace {

// RocksDB's flags in the block's last 4 bytes, which LevelDB lacks. Bit 29 only says that keys are
// evenly spread.
constexpr uint32_t kHasHashIndex = uint32_t{1} << 31;
constexpr uint32_t kHasUniformKeys = uint32_t{1} << 29;
constexpr uint32_t kIsSeparated = uint32_t{1} << 28;
constexpr uint32_t kMaxRestarts = kIsSeparated - 1;

}  // namespace

bool BlockCursor::Open(std::string_view block, Engine engine) {
  block_ = block;
  next_ = entries_end_ = nullptr;
  key_size_ = 0;
  value_size_ = 0;
  is_separated_ = false;
  problem_ = "its list of restarts is damaged";
  if (block.size() < 4) return false;
  size_t left = block.size() - 4;
  uint32_t num_restarts = LoadLittleEndian32(block.data() + left);
  uint32_t values_offset = 0;
  if (engine == Engine::kRocksDB) {
    const uint32_t flags = num_restarts & ~kMaxRestarts;
    num_restarts &= kMaxRestarts;
    if ((flags & ~(kHasHashIndex | kHasUniformKeys | kIsSeparated)) != 0) {
      problem_ = "it has a form that is newer than RocksDB 11.9";
      return false;
    }
    is_separated_ = (flags & kIsSeparated) != 0;
    if (is_separated_) {
      if (left < 4) return false;
      left -= 4;
      values_offset = LoadLittleEndian32(block.data() + left);
    }
    if ((flags & kHasHashIndex) != 0) {  // a byte for each bucket, and the number of buckets
      if (left < 2) return false;
      const size_t hash_bytes = 2 + LoadLittleEndian16(block.data() + left - 2);
      if (hash_bytes > left) return false;
      left -= hash_bytes;
    }
  }
  if (num_restarts > left / 4) return false;
  left -= size_t{num_restarts} * 4;
  if (values_offset > left) return false;
  // Never null, so that nothing is ever copied to null.
  key_.Reserve(128);
  problem_ = nullptr;
  next_restart_ = block.data() + left;
  restarts_end_ = next_restart_ + size_t{num_restarts} * 4;
  values_end_ = block.data() + left;
  entries_end_ = is_separated_ ? block.data() + values_offset : values_end_;
  value_ = entries_end_;
  next_ = num_restarts == 0 ? entries_end_ : block.data();  // a block without restarts is empty
  return true;
}

const char* BlockCursor::ReadSizes(bool has_value_size, uint32_t* unshared, uint32_t* value_size) {
  const char* p = ReadVarint(next_, entries_end_, &shared_);
  if (p != nullptr) p = ReadVarint(p, entries_end_, unshared);
  if (p != nullptr && has_value_size) p = ReadVarint(p, entries_end_, value_size);
  if (p == nullptr || !is_separated_) {
    if (p == nullptr) Damaged();
    return p;
  }
  const auto offset = static_cast<uint64_t>(next_ - block_.data());
  const bool is_restart =
      next_restart_ < restarts_end_ && LoadLittleEndian32(next_restart_) == offset;
  if (!is_restart) {
    value_ += value_size_;
    return p;
  }
  next_restart_ += 4;
  uint32_t value_offset;
  p = ReadVarint(p, entries_end_, &value_offset);
  if (p == nullptr || value_offset > static_cast<size_t>(values_end_ - entries_end_)) {
    Damaged();
    return nullptr;
  }
  value_ = entries_end_ + value_offset;
  return p;
}

bool BlockCursor::Damaged() {
  problem_ = "an entry is damaged";
  next_ = entries_end_;
  return false;
}

// ---- Index blocks.

bool IndexBlockCursor::Open(const char* what, const BlockHandle& block, std::string_view contents,
                            std::string* error) {
  what_ = what;
  offset_ = block.offset;
  handle_ = {};
  return cursor_.Open(contents, form_.engine) ||
         file_->Damaged(error, what_, offset_, cursor_.problem());
}

bool IndexBlockCursor::Next(std::string* error) {
  const bool has_entry = form_.has_deltas ? cursor_.NextUnsized() : cursor_.Next();
  if (!has_entry) {
    return cursor_.problem() != nullptr && file_->Damaged(error, what_, offset_, cursor_.problem());
  }
  return DecodeValue() || file_->Damaged(error, what_, offset_, "a block handle is damaged");
}

bool IndexBlockCursor::DecodeValue() {
  std::string_view value = cursor_.value();
  if (form_.has_deltas && cursor_.shared_key_bytes() > 0) {
    // The block follows the one before. Its size is stored as a difference, in zigzag coding.
    uint64_t coded;
    if (!TakeVarint(&value, &coded)) return false;
    const uint64_t difference = (coded >> 1) ^ (~(coded & 1) + 1);
    handle_.offset += handle_.size + kBlockTrailerBytes;
    handle_.size += difference;
  } else if (!TakeBlockHandle(&value, &handle_)) {
    return false;
  }
  if (!form_.has_deltas) return true;
  std::string_view first_key;
  if (form_.has_first_keys && !TakeBytes(&value, &first_key)) return false;
  cursor_.EndValue(value.data());
  return true;
}

}  // namespace bloomline::tables
