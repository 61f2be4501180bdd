#include "src/engines/rocksdb/ranges/range_extractor.h"

#include <cstdint>
#include <cstring>

#include "bloomline/rocksdb.h"
#include "rocksdb/comparator.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"

namespace bloomline {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::SliceTransform;
using ROCKSDB_NAMESPACE::Status;

// The addresses of prefixes, one for each call of a thread before they come again. Nothing is
// stored there, so the pages take no memory.
constexpr uint32_t kNumAddresses = 1 << 16;
char addresses[kNumAddresses];

struct Bound {
  bool is_known;
  uint16_t size;
  char bytes[kMaxBoundBytes];

  void Set(const Slice& key) {
    is_known = key.size() <= kMaxBoundBytes;
    if (!is_known) return;
    size = static_cast<uint16_t>(key.size());
    std::memcpy(bytes, key.data(), key.size());
  }
  std::string_view key() const { return {bytes, size}; }
};

struct LastCalls {
  uint32_t num_calls;
  Bound bounds[2];  // of even and of odd calls
};
thread_local LastCalls last_calls;

class RangeExtractor final : public SliceTransform {
 public:
  const char* Name() const override { return kRangeExtractorName; }
  bool InDomain(const Slice&) const override { return true; }
  Slice Transform(const Slice& key) const override {
    LastCalls& last = last_calls;
    const uint32_t call = last.num_calls++;
    last.bounds[call % 2].Set(key);
    return Slice(addresses + call % kNumAddresses, 0);
  }

  // Refuses options with which RocksDB takes equal prefixes for equal beginnings of keys.
  Status ValidateOptions(const DBOptions&, const ColumnFamilyOptions& options) const override {
    const auto refuse = [](const char* what) {
      return Status::InvalidArgument("prefix_extractor bloomline.ranges", what);
    };
    const std::string_view order = options.comparator->Name();
    if (order != "leveldb.BytewiseComparator" && order != "leveldb.BytewiseComparator.u64ts") {
      return refuse("comparator has another order than that of bytes; allowed: BytewiseComparator");
    }
    for (const char* name : {"HashSkipListRepFactory", "HashLinkListRepFactory"}) {
      if (options.memtable_factory != nullptr && options.memtable_factory->IsInstanceOf(name)) {
        return refuse("memtable_factory has a list for each prefix; allowed: skip_list, vector");
      }
    }
    if (options.memtable_prefix_bloom_size_ratio > 0 && !options.memtable_whole_key_filtering) {
      return refuse(
          "memtable_prefix_bloom_size_ratio is above 0; allowed: 0, or "
          "memtable_whole_key_filtering=true");
    }
    const auto* const table = options.table_factory == nullptr
                                  ? nullptr
                                  : options.table_factory->GetOptions<BlockBasedTableOptions>();
    if (table == nullptr)
      return refuse("table_factory has another format; allowed: BlockBasedTable");
    if (!table->whole_key_filtering) {
      return refuse("whole_key_filtering is false; allowed: true");
    }
    if (table->index_type == BlockBasedTableOptions::kHashSearch) {
      return refuse("index_type is kHashSearch; allowed: the others");
    }
    return Status::OK();
  }
};

}  // namespace

std::unique_ptr<const SliceTransform> MakeRangeExtractor() {
  return std::make_unique<const RangeExtractor>();
}

bool LastRange(const Slice& prefix, std::string_view* begin, std::string_view* end) {
  const LastCalls& last = last_calls;
  const uint32_t call = last.num_calls - 2;
  if (last.num_calls < 2 || prefix.data() != addresses + call % kNumAddresses) return false;
  const Bound& first = last.bounds[call % 2];
  const Bound& second = last.bounds[(call + 1) % 2];
  *begin = first.key();
  *end = second.key();
  return first.is_known && second.is_known;
}

}  // namespace bloomline
