#include "src/db/tables/table_writer.h"

#include <string_view>

#include "src/db/tables/bytes/checksum.h"
#include "src/db/tables/bytes/coding.h"

namespace bloomline::tables {
namespace {

constexpr size_t kAtOnce = 1 << 20;

}  // namespace

bool TableWriter::Flush(std::string* error) {
  if (!buffer_.empty() && !out_->Append(buffer_.data(), buffer_.size(), error)) return false;
  buffer_.clear();
  return true;
}

bool TableWriter::Append(const char* data, uint64_t n, std::string* error) {
  crc32c_ = Crc32c(data, static_cast<size_t>(n), crc32c_);
  offset_ += n;
  if (buffer_.size() + n > kAtOnce && !Flush(error)) return false;
  if (n > kAtOnce) return out_->Append(data, n, error);
  buffer_.append(data, static_cast<size_t>(n));
  return true;
}

bool TableWriter::AddBlock(std::string&& stored, uint8_t compression_type, BlockHandle* handle,
                           std::string* error) {
  *handle = {offset_, stored.size()};
  stored += static_cast<char>(compression_type);
  AppendFixed32(Checksum(footer_.checksum, stored.data(), stored.size()) +
                    ChecksumContext(footer_.base_context_checksum, offset_),
                &stored);
  return Append(stored.data(), stored.size(), error);
}

bool TableWriter::MoveBlock(const char* what, const BlockHandle& from, BlockReader* reader,
                            BlockHandle* handle, std::string* error) {
  std::string_view contents;
  if (!reader->Read(what, from, &contents, error)) return false;
  const std::string_view stored = reader->stored().substr(0, static_cast<size_t>(from.size));
  const auto compression_type = static_cast<uint8_t>(stored.data()[from.size]);
  return AddBlock(std::string(stored), compression_type, handle, error);
}

bool TableWriter::AddFooter(const BlockHandle& metaindex, const BlockHandle& index,
                            std::string* error) {
  const std::string footer = EncodeFooter(footer_, offset_, metaindex, index);
  return Append(footer.data(), footer.size(), error) && Flush(error);
}

}  // namespace bloomline::tables
