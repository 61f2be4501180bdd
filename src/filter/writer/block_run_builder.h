// Builds a run of a filter in bounded memory, from hashes in any order and with any number of
// duplicates. For filters whose hashes do not fit into memory (on_disk_filter_builder.cc).
#ifndef BLOOMLINE_FILTER_WRITER_BLOCK_RUN_BUILDER_H_
#define BLOOMLINE_FILTER_WRITER_BLOCK_RUN_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/filter/layouts/block_run.h"
#include "src/filter/layouts/kernel.h"
#include "src/filter/layouts/layout.h"
#include "src/filter/layouts/layout_row.h"
#include "src/filter/writer/hash_buffer.h"

namespace bloomline::filter {

// (Start Add* Finish)*. Each of these throws bad_alloc.
class BlockRunBuilder {
 public:
  // The most memory that it uses, in bytes per hash of its capacity: two arrays of hashes, the
  // blocks, and where the hashes of each block end.
  static constexpr size_t kBytesPerHash = 18;
  static constexpr size_t kMinCapacity = 4096;

  // Hashes of a block that memory is meant for. On average a block has at most 93, in kCompact. One
  // with more than it can have slots becomes a Bloom block at once, and repeated hashes are
  // dropped, and so the others have room whatever the keys are.
  static constexpr size_t kRoomPerBlock = 160;

  // `shape` has blocks; capacity >= kMinCapacity. Throws bad_alloc.
  BlockRunBuilder(const FilterShape& shape, const kernels::Kernel& kernel, size_t capacity);

  // The most blocks of a run.
  size_t max_blocks() const { return capacity_ / kRoomPerBlock; }

  // Begins a run.
  void Start(BlockRun run);

  // Takes those of n hashes that belong to the run.
  void Add(const uint64_t* hashes, size_t n);

  // The blocks of the run, as in the whole payload. Valid until the next Start.
  const char* Finish();

  // Number of hashes taken since construction, and the XOR of them.
  uint64_t num_taken() const { return num_taken_; }
  uint64_t checksum() const { return checksum_; }

 private:
  void MakeRoom();
  void CutOverfullBlocks();
  char* BlockAt(uint64_t i) { return blocks_.data() + i * shape_.block_bytes; }
  void BuildBlocks();

  const FilterShape shape_;
  const LayoutRow& row_;
  const kernels::Kernel& kernel_;
  const size_t capacity_;
  HashBuffer hashes_;
  HashBuffer sorted_;
  std::vector<char> blocks_;
  size_t size_ = 0;
  BlockRun run_ = {};
  HashRange range_ = {};
  uint64_t num_taken_ = 0;
  uint64_t checksum_ = 0;
};

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_WRITER_BLOCK_RUN_BUILDER_H_
