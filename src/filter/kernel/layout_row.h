// A row of the table of layouts (layout_table.h): the facts about a layout that trailer, builders,
// queries and the commands need. Each folder of filter/layouts has its layout's row.
#ifndef BLOOMLINE_FILTER_KERNEL_LAYOUT_ROW_H_
#define BLOOMLINE_FILTER_KERNEL_LAYOUT_ROW_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"
#include "bloomline/inline_query.h"
#include "src/filter/bits/filter_shape.h"

namespace bloomline::kernels {
struct Kernel;
}

namespace bloomline::filter {

class HashList;

// All keys of a filter, as a layout has solved them before it has memory for the filter.
class Solution {
 public:
  virtual ~Solution() = default;
  virtual uint64_t seed() const = 0;
  // Writes the payload, zeros before, of a shape with another number of blocks, too.
  virtual void WriteTo(const FilterShape& shape, const kernels::Kernel& kernel, char* data) = 0;
};

// The hash of keys that a layout stores.
enum class HashFunction : uint8_t {
  kXxh3,       // 64 bits, with a seed
  kRocksDB64,  // stock/rocksdb_hash.h
  kRocksDB32,
  kLevelDB32
};

// The functions take shapes and payloads of their layout, with blocks. A null function means that
// the layout has no such operation. `data` is shape.payload_bytes() bytes, zeroed before the first
// call.
struct LayoutRow {
  Layout layout = Layout::kAlwaysMatch;
  const char* name = "always match";  // as `bloomline inspect` prints it
  const char* long_name = "unknown";  // among the filters of all engines
  std::optional<Format> format = {};  // that mostly writes it
  HashFunction hash = HashFunction::kXxh3;

  // ---- Size: the shape for the keys of a request, in each container that has the layout.
  // RocksDB's tables and partitions may have few keys. Their filters are not rounded up to whole
  // blocks of 64 bytes: in kBlocked, such filters are flat.
  FilterShape (*shape)(const ShapeRequest& request) = nullptr;  // a filter on its own
  FilterShape (*sstable_shape)(const ShapeRequest& request) = nullptr;
  FilterShape (*leveldb_shape)(const ShapeRequest& request) = nullptr;
  // The k of these shapes in Bloom filters.
  int (*num_probes)(double bits_per_key) = nullptr;
  // The expected false-positive rate of num_keys keys in this very shape.
  double (*rate)(const FilterShape& shape, uint64_t num_keys) = nullptr;

  // ---- The trailer (docs/format.md, section 5): the shape that its field `parameter` means,
  // without blocks yet; the values of that field; and the longest payload.
  FilterShape (*trailer_shape)(uint32_t parameter) = nullptr;
  uint32_t min_parameter = 0;
  uint32_t max_parameter = UINT8_MAX;
  uint64_t max_payload_bytes = UINT64_MAX;
  // A field of the extension has shape.row_blocks.
  bool has_rows_field = false;

  // ---- The five bytes at the end of RocksDB's own filters: the values of the first one. `read`
  // sets the shape, and returns false with the reason if the bytes make no sense.
  int min_marker = 0;
  int max_marker = -1;
  bool (*read)(std::string_view filter, Payload* payload, std::string* why) = nullptr;
  void (*write_end)(const Payload& payload, char* dst) = nullptr;

  // ---- Queries: sets filter->may_match, and may_match_many where the kernel has it.
  void (*open)(const Payload& payload, const kernels::Kernel& kernel, OpenFilter* filter) = nullptr;

  // ---- Building. A Bloom filter's bits can be set at any time.
  void (*insert)(const FilterShape& shape, const kernels::Kernel& kernel, char* data, size_t n,
                 const uint64_t* hashes) = nullptr;
  // Other layouts take all hashes of the list, which must outlive the solution; only Clear may be
  // called then. Without a solution, *shape becomes that of another layout.
  std::unique_ptr<Solution> (*solve)(HashList* hashes, uint64_t first_hash,
                                     const ShapeRequest& request, const kernels::Kernel& kernel,
                                     FilterShape* shape) = nullptr;
  // Builds a LevelDB filter from all its hashes, which it may reorder. Completes the shape.
  void (*build)(uint64_t* hashes, size_t n, FilterShape* shape, const kernels::Kernel& kernel,
                char* data) = nullptr;

  constexpr bool is_bloom() const { return insert != nullptr; }
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_KERNEL_LAYOUT_ROW_H_
