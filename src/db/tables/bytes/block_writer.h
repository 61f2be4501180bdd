// Writes one block with a restart at each entry, as RocksDB writes metaindex, properties and
// indexes by default (block_cursor.h has the format).
#ifndef BLOOMLINE_DB_TABLES_BYTES_BLOCK_WRITER_H_
#define BLOOMLINE_DB_TABLES_BYTES_BLOCK_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "src/db/tables/bytes/coding.h"

namespace bloomline::tables {

class BlockWriter {
 public:
  // Index blocks whose values may be deltas have no sizes of values.
  explicit BlockWriter(bool has_value_sizes = true) : has_value_sizes_(has_value_sizes) {}

  // Keys must be in order.
  void Add(std::string_view key, std::string_view value) {
    AppendFixed32(static_cast<uint32_t>(block_.size()), &restarts_);
    AppendVarint(0, &block_);  // bytes shared with the key before
    AppendVarint(key.size(), &block_);
    if (has_value_sizes_) AppendVarint(value.size(), &block_);
    block_.append(key).append(value);
  }

  // Ends the block. RocksDB refuses a block without restarts, so an empty one has a restart, too.
  std::string Finish() {
    if (restarts_.empty()) AppendFixed32(0, &restarts_);
    const auto num_restarts = static_cast<uint32_t>(restarts_.size() / sizeof(uint32_t));
    block_ += restarts_;
    AppendFixed32(num_restarts, &block_);
    return std::move(block_);
  }

 private:
  const bool has_value_sizes_;
  std::string block_;
  std::string restarts_;
};

}  // namespace bloomline::tables

#endif  // BLOOMLINE_DB_TABLES_BYTES_BLOCK_WRITER_H_
