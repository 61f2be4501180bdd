// Hashes in a temporary file, divided by their upper bits: written in any order, read in theirs.
#ifndef BLOOMLINE_BUILD_HASH_SPILL_H_
#define BLOOMLINE_BUILD_HASH_SPILL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/memory/file_io.h"

namespace bloomline::filters {

// `error` is not null in what follows. All functions but Partition throw bad_alloc, before they
// have changed anything.
class HashSpill {
 public:
  // Buffers take at most `memory_bytes`, of which there is 512 KiB or more.
  bool Open(const std::string& directory, uint64_t memory_bytes, std::string* error);

  // False: the hash is not in; the others are.
  bool Add(uint64_t hash, std::string* error) {
    if (buffers_ == nullptr) AllocateBuffers();
    const size_t partition = Partition(hash);
    if (filled_[partition] == block_hashes_ && !WriteBlock(partition, error)) return false;
    buffers_[partition * block_hashes_ + filled_[partition]++] = hash;
    ++size_;
    checksum_ ^= hash;
    return true;
  }

  uint64_t size() const { return size_; }
  uint64_t checksum() const { return checksum_; }  // XOR of all hashes

  // Writes what is in buffers and frees these; Add may follow. False: some may be left in them.
  bool Flush(std::string* error);

  // Ascending with the hash.
  size_t Partition(uint64_t hash) const { return static_cast<size_t>(hash >> shift_); }

  // A stretch of hashes in the file.
  struct Block {
    uint64_t offset;
    uint32_t num_hashes;
  };
  // After Flush: all that a partition has.
  const std::vector<Block>& Blocks(size_t partition) const { return blocks_[partition]; }
  uint32_t max_block_hashes() const { return block_hashes_; }

  // `dst` has room for block.num_hashes. Any number of threads at once.
  bool Read(const Block& block, uint64_t* dst, std::string* error) const;

  // Forgets all hashes.
  bool Clear(std::string* error);

 private:
  void AllocateBuffers();
  bool WriteBlock(size_t partition, std::string* error);

  ScratchFile file_;
  int shift_ = 0;
  uint32_t block_hashes_ = 0;
  std::unique_ptr<uint64_t[]> buffers_;  // one block for each partition
  std::vector<uint32_t> filled_;         // hashes in each buffer
  std::vector<std::vector<Block>> blocks_;
  uint64_t size_ = 0;
  uint64_t checksum_ = 0;
};

}  // namespace bloomline::filters

#endif  // BLOOMLINE_BUILD_HASH_SPILL_H_
