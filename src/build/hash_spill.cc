#include "src/build/hash_spill.h"

namespace bloomline::filters {
namespace {

// A block is what is written and read at once; disks like large ones.
constexpr uint64_t kLargeBlockBytes = uint64_t{64} << 10;
constexpr uint64_t kSmallBlockBytes = uint64_t{4} << 10;
constexpr uint64_t kLargeBlocksFromBytes = uint64_t{32} << 20;
// More write streams would cost more in cache misses than they spare in reads.
constexpr int kMaxPartitionBits = 11;

}  // namespace

bool HashSpill::Open(const std::string& directory, uint64_t memory_bytes, std::string* error) {
  const uint64_t block_bytes =
      memory_bytes >= kLargeBlocksFromBytes ? kLargeBlockBytes : kSmallBlockBytes;
  int partition_bits = 1;
  while (partition_bits < kMaxPartitionBits &&
         (block_bytes << (partition_bits + 1)) <= memory_bytes) {
    ++partition_bits;
  }
  shift_ = 64 - partition_bits;
  block_hashes_ = static_cast<uint32_t>(block_bytes / sizeof(uint64_t));
  const size_t num_partitions = size_t{1} << partition_bits;
  blocks_.resize(num_partitions);
  filled_.resize(num_partitions);
  return file_.Open(directory, error);
}

void HashSpill::AllocateBuffers() { buffers_.reset(new uint64_t[blocks_.size() * block_hashes_]); }

bool HashSpill::WriteBlock(size_t partition, std::string* error) {
  const Block block = {file_.size(), filled_[partition]};
  blocks_[partition].push_back(block);
  const uint64_t* hashes = buffers_.get() + partition * block_hashes_;
  if (!file_.Append(reinterpret_cast<const char*>(hashes), block.num_hashes * sizeof(uint64_t),
                    error)) {
    blocks_[partition].pop_back();
    return false;
  }
  filled_[partition] = 0;
  return true;
}

bool HashSpill::Flush(std::string* error) {
  if (buffers_ == nullptr) return true;
  for (size_t partition = 0; partition < blocks_.size(); ++partition) {
    if (filled_[partition] != 0 && !WriteBlock(partition, error)) return false;
  }
  buffers_.reset();
  return true;
}

bool HashSpill::Read(const Block& block, uint64_t* dst, std::string* error) const {
  return file_.ReadAt(block.offset, block.num_hashes * sizeof(uint64_t),
                      reinterpret_cast<char*>(dst), error);
}

bool HashSpill::Clear(std::string* error) {
  if (!file_.Truncate(error)) return false;
  buffers_.reset();
  for (std::vector<Block>& blocks : blocks_) blocks = {};
  filled_.assign(filled_.size(), 0);
  size_ = 0;
  checksum_ = 0;
  return true;
}

}  // namespace bloomline::filters
