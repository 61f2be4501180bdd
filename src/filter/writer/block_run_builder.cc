#include "src/filter/writer/block_run_builder.h"

#include <algorithm>

#include "src/filter/cpu/probe_sequence.h"
#include "src/filter/layouts/block_run.h"

namespace bloomline::filter {
namespace {

// Hashes added at a time: there must be room for all of them.
constexpr size_t kMaxBatch = 512;
// Enough for SolveBlock to see that some hashes are repeated ones.
constexpr size_t kCutBlock = kMaxSolvedKeys + 1;

static_assert(BlockRunBuilder::kMinCapacity / BlockRunBuilder::kRoomPerBlock * kCutBlock +
                  kMaxBatch <=
              BlockRunBuilder::kMinCapacity);
static_assert(2 * sizeof(uint64_t) + (kernels::kBlockBytes + sizeof(size_t)) /
                                         double{BlockRunBuilder::kRoomPerBlock} <=
              BlockRunBuilder::kBytesPerHash);

}  // namespace

BlockRunBuilder::BlockRunBuilder(const FilterShape& shape, const kernels::Kernel& kernel,
                                 size_t capacity)
    : shape_(shape),
      row_(RowOf(shape.layout)),
      kernel_(kernel),
      capacity_(capacity),
      hashes_(capacity),
      sorted_(capacity) {}

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
  if (row_.is_bloom()) {
    BuildBlocks();  // bits can be set at any time
  } else {
    CutOverfullBlocks();
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
      if (!row_.add_to_block(hashes + start, different, shape_, different >= kCutBlock,
                             BlockAt(block - run_.first_block))) {
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

void BlockRunBuilder::BuildBlocks() {
  KeysByBlock by_block(shape_.num_blocks, run_);
  by_block.Sort(hashes_.data(), size_, sorted_.data());
  FilterShape one_block = shape_;
  one_block.num_blocks = 1;
  by_block.ForEachBlock(sorted_.data(), [&](size_t i, uint64_t* hashes, size_t n) {
    char* const block = BlockAt(i);
    if (row_.is_bloom()) {
      row_.insert(one_block, kernel_, block, n, hashes);
    } else if (!row_.add_to_block(hashes, n, shape_, false, block)) {
      row_.solve_block(hashes, n, shape_, kernel_, block);
    }
  });
  size_ = 0;
}

}  // namespace bloomline::filter
