#include "src/db/sstable/table_writer.h"

#include <algorithm>

#include "src/db/sstable/bytes/checksum.h"
#include "src/db/sstable/bytes/coding.h"

namespace bloomline::sstable {
namespace {

constexpr size_t kAtOnce = 1 << 20;

}  // namespace

bool TableWriter::Flush(std::string* error) {
  if (!buffer_.empty() && !out_->Append(buffer_.data(), buffer_.size(), error)) return false;
  buffer_.clear();
  return true;
}

bool TableWriter::Append(std::string_view bytes, std::string* error) {
  crc32c_ = Crc32c(bytes.data(), bytes.size(), crc32c_);
  offset_ += bytes.size();
  if (buffer_.size() + bytes.size() > kAtOnce && !Flush(error)) return false;
  if (bytes.size() > kAtOnce) return out_->Append(bytes.data(), bytes.size(), error);
  buffer_ += bytes;
  return true;
}

bool TableWriter::CopyUpTo(const support::ByteSource& from, uint64_t end, std::string* error) {
  std::string bytes;
  while (offset_ < end) {
    bytes.resize(static_cast<size_t>(std::min<uint64_t>(end - offset_, kAtOnce)));
    if (!from.ReadAt(offset_, bytes.size(), bytes.data(), error)) return false;
    if (!Append(bytes, error)) return false;
  }
  return true;
}

bool TableWriter::AddBlock(std::string&& stored, uint8_t compression_type, BlockHandle* handle,
                           std::string* error) {
  *handle = {offset_, stored.size()};
  stored += static_cast<char>(compression_type);
  AppendFixed32(Checksum(footer_.checksum, stored.data(), stored.size()) +
                    ChecksumContext(footer_.base_context_checksum, offset_),
                &stored);
  return Append(stored, error);
}

bool TableWriter::AddFooter(const BlockHandle& metaindex, const BlockHandle& index,
                            std::string* error) {
  return Append(EncodeFooter(footer_, offset_, metaindex, index), error) && Flush(error);
}

}  // namespace bloomline::sstable
