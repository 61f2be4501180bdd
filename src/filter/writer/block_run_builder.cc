#include "src/filter/writer/block_run_builder.h"

#include <algorithm>

#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/layouts/compact/compact_block.h"
#include "src/filter/layouts/compact/compact_bloom_block.h"
#include "src/filter/writer/block_run.h"
#include "src/filter/writer/payload_builder.h"

namespace bloomline::filter {
namespace {

// Hashes added at a time: there must be room for all of them.
constexpr size_t kMaxBatch = 512;
// Enough for SolveBlock to see that some hashes are repeated ones.
constexpr size_t kCutBlock = kernels::kMaxCompactSlots + 1;

static_assert(BlockRunBuilder::kMinCapacity / BlockRunBuilder::kRoomPerBlock * kCutBlock +
                  kMaxBatch <=
              BlockRunBuilder::kMinCapacity);
static_assert(2 * sizeof(uint64_t) + (kernels::kBlockBytes + sizeof(size_t)) /
                                         double{BlockRunBuilder::kRoomPerBlock} <=
              BlockRunBuilder::kBytesPerHash);

}  // namespace

BlockRunBuilder::BlockRunBuilder(const FilterShape& shape, const kernels::Kernel& kernel,
                                 size_t capacity)
    : shape_(shape), kernel_(kernel), capacity_(capacity), hashes_(capacity), sorted_(capacity) {}

void BlockRunBuilder::Start(BlockRun run) {
  blocks_.assign(run.num_blocks * shape_.block_bytes, 0);
  run_ = run;
  if (run.num_blocks != 0) range_ = HashesOf(run, shape_.num_blocks);
  size_ = 0;
}

void BlockRunBuilder::Add(const uint64_t* hashes, size_t n) {
  if (run_.num_blocks == 0) return;  // no range of hashes is empty
  for (size_t start = 0; start < n; start += kMaxBatch) {
    const size_t count = std::min(kMaxBatch, n - start);
    if (capacity_ - size_ < count) MakeRoom();
    const size_t old_size = size_;
    size_ += CopyInRange(range_, hashes + start, count, hashes_.data() + size_);
    num_taken_ += size_ - old_size;
    for (size_t i = old_size; i < size_; ++i) checksum_ ^= hashes_.data()[i];
  }
}

const char* BlockRunBuilder::Finish() {
  BuildBlocks();
  return blocks_.data();
}

void BlockRunBuilder::MakeRoom() {
  if (IsSolved(shape_.layout)) {
    CutOverfullBlocks();
  } else {
    BuildBlocks();  // bits can be set at any time
  }
}

void BlockRunBuilder::CutOverfullBlocks() {
  uint64_t* const hashes = hashes_.data();
  std::sort(hashes, hashes + size_);
  size_t kept = 0;
  for (size_t start = 0; start < size_;) {
    const uint64_t block = kernels::BlockIndex(hashes[start], shape_.num_blocks);
    size_t end = start;
    while (end < size_ && kernels::BlockIndex(hashes[end], shape_.num_blocks) == block) ++end;
    if (end - start < kCutBlock) {
      std::copy(hashes + start, hashes + end, hashes + kept);
      kept += end - start;
    } else {
      const auto different =
          static_cast<size_t>(std::unique(hashes + start, hashes + end) - (hashes + start));
      if (!TakenByBloomBlock(hashes + start, different, BlockAt(block - run_.first_block),
                             different >= kCutBlock)) {
        const uint64_t repeat = hashes[start];
        for (size_t i = 0; i < kCutBlock; ++i) {
          hashes[kept++] = i < different ? hashes[start + i] : repeat;
        }
      }
    }
    start = end;
  }
  size_ = kept;
}

// A Bloom block takes more hashes at any time. An overfull one becomes one here: whatever follows,
// SolveBlock would make it of all hashes.
bool BlockRunBuilder::TakenByBloomBlock(const uint64_t* hashes, size_t n, char* block,
                                        bool is_overfull) const {
  const kernels::Arrangement& arrangement = kernels::kArrangements[shape_.arrangement];
  if (kernels::IsBloomBlock(arrangement, block)) {
    kernels::InsertIntoBloomBlock(arrangement, hashes, n, block);
    return true;
  }
  if (is_overfull) kernels::WriteBloomBlock(arrangement, hashes, n, block);
  return is_overfull;
}

void BlockRunBuilder::BuildBlocks() {
  KeysByBlock by_block(shape_.num_blocks, run_);
  by_block.Sort(hashes_.data(), size_, sorted_.data());
  FilterShape one_block = shape_;
  one_block.num_blocks = 1;
  by_block.ForEachBlock(sorted_.data(), [&](size_t i, uint64_t* hashes, size_t n) {
    char* const block = BlockAt(i);
    if (!IsSolved(shape_.layout)) {
      InsertHashes(one_block, kernel_, block, n, hashes);
    } else if (!TakenByBloomBlock(hashes, n, block, false)) {
      SolveBlock(hashes, n, shape_, kernel_, block);
    }
  });
  size_ = 0;
}

}  // namespace bloomline::filter
