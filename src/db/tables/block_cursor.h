// The entries of one block, decompressed: LevelDB doc/table_format.md and table/block_builder.cc;
// RocksDB table/block_based/block_builder.cc and data_block_footer.h.
#ifndef BLOOMLINE_DB_TABLES_BLOCK_CURSOR_H_
#define BLOOMLINE_DB_TABLES_BLOCK_CURSOR_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "src/db/tables/block_file.h"
#include "src/db/tables/bytes/coding.h"
#include "src/db/tables/table.h"

namespace bloomline::tables {

// block   := entry* restart* [hash index] footer
// entry   := shared unshared value_size [value offset] key[shared:] value
// footer  := [values' offset] number of restarts and flags (4 bytes)
// The three numbers are varints. Keys share bytes with the key before, except at restarts. In
// RocksDB's newest form, "separated", all values are behind all keys. An entry at a restart has the
// offset of its value; each other value follows the one before.
class BlockCursor {
 public:
  explicit BlockCursor(Memory* memory) : key_(memory) {}

  // The block must not change. Returns false if it is damaged; problem() then says how, and Next
  // finds no entry.
  bool Open(std::string_view block, Engine engine);

  // Returns false at the end, or if there is a problem().
  bool Next() {
    uint32_t value_size;
    return NextKey(true, &value_size) && TakeValue(value_size);
  }

  // In index blocks whose values are deltas, entries lack value_size. value() then extends to the
  // end of all values, until the caller tells EndValue where the value ends.
  bool NextUnsized() {
    uint32_t value_size;
    if (!NextKey(false, &value_size)) return false;
    value_size_ = static_cast<size_t>(values_end_ - value_);
    return true;
  }
  void EndValue(const char* end) {
    value_size_ = static_cast<size_t>(end - value_);
    if (!is_separated_) next_ = end;
  }

  std::string_view key() const { return {key_.data(), key_size_}; }
  std::string_view value() const { return {value_, value_size_}; }
  uint32_t shared_key_bytes() const { return shared_; }  // with the key before
  const char* problem() const { return problem_; }       // null: none

 private:
  bool NextKey(bool has_value_size, uint32_t* value_size) {
    const char* p = next_;
    if (p >= entries_end_) return false;
    uint32_t unshared;
    const size_t left = static_cast<size_t>(entries_end_ - p);
    const auto byte = [p](size_t i) { return static_cast<unsigned char>(p[i]); };
    if (left >= 3 && has_value_size && !is_separated_ && (byte(0) | byte(1) | byte(2)) < 128) {
      shared_ = byte(0);
      unshared = byte(1);
      *value_size = byte(2);
      p += 3;
    } else {
      p = ReadSizes(has_value_size, &unshared, value_size);
      if (p == nullptr) return false;
    }
    const size_t key_size = size_t{shared_} + unshared;
    if (shared_ > key_size_ || unshared > static_cast<size_t>(entries_end_ - p)) return Damaged();
    if (key_size > key_.capacity()) key_.Reserve(key_size, shared_);
    std::memcpy(key_.data() + shared_, p, unshared);
    key_size_ = key_size;
    next_ = p + unshared;
    if (!is_separated_) value_ = next_;
    return true;
  }

  bool TakeValue(uint32_t value_size) {
    if (value_size > static_cast<size_t>(values_end_ - value_)) return Damaged();
    value_size_ = value_size;
    if (!is_separated_) next_ = value_ + value_size;
    return true;
  }

  const char* ReadSizes(bool has_value_size, uint32_t* unshared, uint32_t* value_size);
  bool Damaged();

  std::string_view block_;
  const char* next_ = nullptr;
  const char* entries_end_ = nullptr;
  const char* values_end_ = nullptr;
  const char* value_ = nullptr;
  size_t value_size_ = 0;
  Buffer key_;
  size_t key_size_ = 0;
  uint32_t shared_ = 0;
  bool is_separated_ = false;
  const char* next_restart_ = nullptr;  // separated blocks only: a place in the list of restarts
  const char* restarts_end_ = nullptr;
  const char* problem_ = nullptr;
};

// ---- Index blocks: RocksDB table/block_based/index_builder.h, and format.h, IndexValue.

struct IndexForm {
  Engine engine = Engine::kRocksDB;
  bool has_two_levels = false;  // an index over index blocks
  bool has_user_keys = false;   // separators without sequence number and type
  bool has_deltas = false;      // a handle may be only the difference to the size before
  // The first key of each block is behind its handle; not in two levels.
  bool has_first_keys = false;
};

// The handles in one index block.
class IndexBlockCursor {
 public:
  IndexBlockCursor(const BlockFile* file, const IndexForm& form)
      : file_(file), form_(form), cursor_(&file->memory) {}

  // `contents` must not change.
  bool Open(const char* what, const BlockHandle& block, std::string_view contents,
            std::string* error);
  // Returns false at the end, and with *error if the block is damaged.
  bool Next(std::string* error);

  std::string_view separator() const { return cursor_.key(); }
  const BlockHandle& handle() const { return handle_; }

 private:
  bool DecodeValue();

  const BlockFile* const file_;
  const IndexForm form_;
  BlockCursor cursor_;
  const char* what_ = "";
  uint64_t offset_ = 0;
  BlockHandle handle_;
};

}  // namespace bloomline::tables

#endif  // BLOOMLINE_DB_TABLES_BLOCK_CURSOR_H_
