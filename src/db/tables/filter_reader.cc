// The filters of a table: one, one for each partition, or one for each 2 KiB (table.h).
#include <algorithm>
#include <vector>

#include "src/db/tables/bytes/coding.h"
#include "src/db/tables/comparator.h"
#include "src/db/tables/data_block_walk.h"
#include "src/db/tables/table_parts.h"

namespace bloomline::tables {
namespace {

constexpr const char* kFilterBlock = "filter block";
constexpr const char* kFilterIndex = "filter index";

// Also a filter of an unknown kind, whose bytes mean nothing here.
class FullFilter final : public Table::FilterReader {
 public:
  explicit FullFilter(const TableParts* parts)
      : parts_(*parts), reader_(&parts->blocks, BlockReader::Access::kRandom) {}

  uint64_t num_filters() const override { return 1; }
  bool Read(uint64_t, std::string_view* bytes, std::string* error) override {
    return reader_.Read(kFilterBlock, parts_.filter, bytes, error);
  }
  // RocksDB makes no reader for a filter without bytes.
  uint64_t FilterOf(std::string_view, uint64_t, uint64_t) const override {
    return parts_.filter.size == 0 ? kNoFilter : 0;
  }

 private:
  const TableParts& parts_;
  BlockReader reader_;
};

// LevelDB's filter block: filters, the offset of each (4 bytes), the offset of that list, and the
// logarithm of the bytes of data blocks for each filter (LevelDB table/filter_block.cc; RocksDB
// 6.29 table/block_based/block_based_filter_block.cc).
class FiltersByOffset final : public Table::FilterReader {
 public:
  explicit FiltersByOffset(const TableParts* parts)
      : parts_(*parts), reader_(&parts->blocks, BlockReader::Access::kRandom) {}

  bool Open(std::string* error) {
    constexpr size_t kEndBytes = 5;
    if (!reader_.Read(kFilterBlock, parts_.filter, &block_, error)) return false;
    // Engines ignore such a block, so every key matches there.
    if (block_.size() < kEndBytes) return Damaged(error, "it has fewer than 5 bytes");
    const size_t end = block_.size() - kEndBytes;
    base_lg_ = static_cast<unsigned char>(block_.back());
    list_ = LoadLittleEndian32(block_.data() + end);
    if (list_ > end) return Damaged(error, "its list of filters lies outside it");
    // What engines do with larger ones depends on the CPU.
    if (base_lg_ >= 64) return Damaged(error, "a filter is for 2^", base_lg_, " bytes of data");
    num_filters_ = (end - list_) / 4;
    return true;
  }

  uint64_t num_filters() const override { return num_filters_; }
  unsigned base_lg() const override { return base_lg_; }

  bool Read(uint64_t index, std::string_view* bytes, std::string* error) override {
    const char* entry = block_.data() + list_ + index * 4;
    const uint32_t begin = LoadLittleEndian32(entry);
    const uint32_t end = LoadLittleEndian32(entry + 4);  // the last entry: the list's offset
    if (begin > end || end > list_) return Damaged(error, "filter ", index, " lies outside it");
    *bytes = block_.substr(begin, end - begin);
    return true;
  }

  uint64_t FilterOf(std::string_view, uint64_t, uint64_t block_offset) const override {
    const uint64_t index = block_offset >> base_lg_;
    return index < num_filters_ ? index : kNoFilter;
  }

 private:
  template <typename... Parts>
  bool Damaged(std::string* error, const Parts&... problem) const {
    return parts_.blocks.Damaged(error, kFilterBlock, parts_.filter.offset, problem...);
  }

  const TableParts& parts_;
  BlockReader reader_;
  std::string_view block_;
  unsigned base_lg_ = 0;
  uint64_t list_ = 0;
  uint64_t num_filters_ = 0;
};

// RocksDB's partitions: table/block_based/partitioned_filter_block.cc.
class FilterPartitions final : public Table::FilterReader {
 public:
  explicit FilterPartitions(const TableParts* parts)
      : parts_(*parts),
        order_(OrderOf(parts->properties)),
        share_(&parts->blocks.memory),
        reader_(&parts->blocks, BlockReader::Access::kSequential) {}

  bool Open(std::string* error) {
    return ReadIndex(error) && (order_.is_known || partitions_.empty() || FindLastBlocks(error));
  }

  bool ReadIndex(std::string* error) {
    if (parts_.filter.size == 0) return true;  // no key at all
    BlockReader reader(&parts_.blocks, BlockReader::Access::kRandom);
    std::string_view contents;
    if (!reader.Read(kFilterIndex, parts_.filter, &contents, error)) return false;
    if (contents.empty()) return true;
    IndexForm form = parts_.index_form;
    form.has_first_keys = false;
    IndexBlockCursor cursor(&parts_.blocks, form);
    if (!cursor.Open(kFilterIndex, parts_.filter, contents, error)) return false;
    while (cursor.Next(error)) {
      if (!Add(cursor.separator(), cursor.handle(), error)) return false;
    }
    return error->empty();
  }

  uint64_t num_filters() const override { return partitions_.size(); }

  bool Read(uint64_t index, std::string_view* bytes, std::string* error) override {
    return reader_.Read("filter partition", partitions_[static_cast<size_t>(index)].handle, bytes,
                        error);
  }

  // The first partition whose separator is not before the key; behind all separators, the last one.
  uint64_t FilterOf(std::string_view user_key, uint64_t sequence,
                    uint64_t block_offset) const override {
    if (partitions_.empty()) return kNoFilter;
    if (!order_.is_known) return sequence == kMaxSequence ? kUnknownFilter : OfBlock(block_offset);
    const auto is_before = [&](const Partition& partition) {
      return IsBefore(partition, user_key, sequence);
    };
    const auto first = partitions_.begin();
    // Keys mostly come in file order.
    const auto hint = first + static_cast<std::ptrdiff_t>(hint_);
    if ((hint == first || is_before(*(hint - 1))) && !is_before(*hint)) return hint_;
    const auto found = std::partition_point(first, partitions_.end(), is_before);
    hint_ = static_cast<size_t>(found - first);
    if (hint_ == partitions_.size()) --hint_;
    return hint_;
  }

 private:
  // The partitions of an unknown order: each separator is that of its last data block, too, unless
  // RocksDB (9.7 or later) cut filters and index apart.
  bool FindLastBlocks(std::string* error) {
    DataBlockWalk walk(&parts_);
    if (!walk.Open(error)) return false;
    BlockHandle block;
    while (walk.Next(&block, error)) {
      const size_t i = last_blocks_.size();
      if (i == partitions_.size()) break;
      if (walk.separator() == Separator(partitions_[i])) last_blocks_.push_back(block.offset);
    }
    return error->empty();
  }
  uint64_t OfBlock(uint64_t offset) const {
    if (last_blocks_.size() < partitions_.size()) return kUnknownFilter;
    const auto found = std::lower_bound(last_blocks_.begin(), last_blocks_.end() - 1, offset);
    return static_cast<uint64_t>(found - last_blocks_.begin());
  }

  struct Partition {
    BlockHandle handle;
    size_t separator;
    size_t separator_size;
  };

  bool Add(std::string_view separator, const BlockHandle& handle, std::string* error) {
    if (!parts_.index_form.has_user_keys && separator.size() < 8) {
      return Damaged(error, "a separator is too short");
    }
    // Separators share bytes, so those of a small crafted block could exceed any memory. While a
    // string or vector grows, it takes three times its size.
    share_.GrowTo(3 * (separators_.size() + separator.size() +
                       (partitions_.size() + 1) * (sizeof(Partition) + sizeof(uint64_t))));
    // Partitions must have the order of writing, so the file's size bounds their total cost.
    const uint64_t end = partitions_.empty() ? 0 : End(partitions_.back().handle);
    if (handle.offset < end || End(handle) < handle.offset) {
      return Damaged(error, "it leads to a partition at offset ", handle.offset,
                     ", after one that ends at ", end);
    }
    const uint64_t file_bytes = parts_.blocks.file.size();
    if (partitions_.size() == file_bytes / kBlockTrailerBytes) {
      return Damaged(error, "it names more partitions than fit in the file's ", file_bytes,
                     " bytes");
    }
    partitions_.push_back({handle, separators_.size(), separator.size()});
    separators_.append(separator);
    // The engine uses binary search, which misses keys in another order.
    const bool is_in_order =
        partitions_.size() == 1 || InOrder(*(partitions_.end() - 2), partitions_.back());
    return is_in_order || Damaged(error, "its separators are not in order");
  }

  template <typename... Parts>
  bool Damaged(std::string* error, const Parts&... problem) const {
    return parts_.blocks.Damaged(error, kFilterIndex, parts_.filter.offset, problem...);
  }

  static uint64_t End(const BlockHandle& handle) { return handle.offset + handle.size; }

  std::string_view Separator(const Partition& partition) const {
    return {separators_.data() + partition.separator, partition.separator_size};
  }
  std::string_view UserKey(const Partition& partition) const {
    const size_t sequence_bytes = parts_.index_form.has_user_keys ? 0 : 8;
    const std::string_view separator = Separator(partition);
    return separator.substr(0, separator.size() - sequence_bytes);
  }

  bool InOrder(const Partition& a, const Partition& b) const {
    if (!order_.is_known) return true;
    KeyOrder of_keys = order_;
    of_keys.timestamp_bytes = 0;
    return Compare(of_keys, WithoutTimestamp(order_, UserKey(a)),
                   WithoutTimestamp(order_, UserKey(b))) <= 0;
  }

  // Of two entries with the same key, the one with the larger sequence number comes first.
  bool IsBefore(const Partition& partition, std::string_view user_key, uint64_t sequence) const {
    const std::string_view separator = UserKey(partition);
    const bool has_sequence = !parts_.index_form.has_user_keys;
    uint64_t separator_sequence = 0;
    if (has_sequence) {
      separator_sequence = LoadLittleEndian64(separator.data() + separator.size()) >> 8;
    }
    const int order = Compare(order_, separator, user_key);
    return order < 0 || (order == 0 && has_sequence && separator_sequence > sequence);
  }

  const TableParts& parts_;
  const KeyOrder order_;
  MemoryShare share_;
  BlockReader reader_;
  std::string separators_;
  std::vector<Partition> partitions_;
  std::vector<uint64_t> last_blocks_;  // of the partitions of an unknown order, as far as known
  mutable size_t hint_ = 0;
};

template <typename Reader>
std::unique_ptr<Table::FilterReader> OpenReader(const TableParts* parts, std::string* error) {
  auto reader = std::make_unique<Reader>(parts);
  if (!reader->Open(error)) return nullptr;
  return reader;
}

}  // namespace

std::unique_ptr<Table::FilterReader> Table::NewFilterReader(std::string* error) const {
  const TableParts* const parts = parts_.get();
  switch (parts->filter_kind) {
    case FilterKind::kFull:
    case FilterKind::kUnknown:
      return std::make_unique<FullFilter>(parts);
    case FilterKind::kByOffset:
      return OpenReader<FiltersByOffset>(parts, error);
    case FilterKind::kPartitioned:
      return OpenReader<FilterPartitions>(parts, error);
    case FilterKind::kNone:
      break;
  }
  *error = parts->blocks.file.name() + ": has no filter";
  return nullptr;
}

}  // namespace bloomline::tables
