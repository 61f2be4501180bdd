// Writes a table's file block by block, in the form of an existing table's footer: its format, its
// kind of checksum, and from format_version 6 on the base of its checksums' context.
#ifndef BLOOMLINE_DB_TABLES_TABLE_WRITER_H_
#define BLOOMLINE_DB_TABLES_TABLE_WRITER_H_

#include <cstdint>
#include <string>

#include "src/db/tables/block_file.h"
#include "src/support/byte_io.h"

namespace bloomline::tables {

// Functions return false with *error if the sink refused the bytes, or what is copied cannot be
// read.
class TableWriter final : public support::ByteSink {
 public:
  // `footer` and `out` must outlive the writer. LevelDB's, or format_version 2 or later.
  TableWriter(const Footer* footer, support::ByteSink* out) : footer_(*footer), out_(out) {}

  // Appends bytes as they are.
  bool Append(const char* data, uint64_t n, std::string* error) override;

  // Writes a block's stored bytes and, behind them in `stored`, its trailer of kBlockTrailerBytes.
  bool AddBlock(std::string&& stored, uint8_t compression_type, BlockHandle* handle,
                std::string* error);
  // Copies a block of another file, which `what` names in errors.
  bool MoveBlock(const char* what, const BlockHandle& from, BlockReader* reader,
                 BlockHandle* handle, std::string* error);

  // Writes the end of the file. The index's handle counts up to format_version 5.
  bool AddFooter(const BlockHandle& metaindex, const BlockHandle& index, std::string* error);

  uint64_t offset() const { return offset_; }  // the bytes written so far
  uint32_t crc32c() const { return crc32c_; }  // their CRC

 private:
  bool Flush(std::string* error);

  const Footer& footer_;
  support::ByteSink* const out_;
  uint64_t offset_ = 0;
  uint32_t crc32c_ = 0;
  std::string buffer_;  // the last ones, which the sink does not have yet
};

}  // namespace bloomline::tables

#endif  // BLOOMLINE_DB_TABLES_TABLE_WRITER_H_
