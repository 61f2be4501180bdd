// Hashes in a temporary file, in buckets by their upper bits: written in any order, read in the
// order of buckets, and so of a filter's blocks.
#ifndef BLOOMLINE_SETS_HASH_SPILL_H_
#define BLOOMLINE_SETS_HASH_SPILL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/support/file_io.h"

namespace bloomline::sets {

// Open (Add* Flush Read* Clear)*. `error` is never null here. All functions but BucketOf throw
// bad_alloc, before they have changed anything.
class HashSpill {
 public:
  // Buffers take at most `memory_bytes`, of which there is 512 KiB or more.
  bool Open(const std::string& directory, uint64_t memory_bytes, std::string* error);

  // False: the hash is not in; the others are.
  bool Add(uint64_t hash, std::string* error) {
    if (buffers_ == nullptr) buffers_.reset(new uint64_t[batches_.size() * batch_hashes_]);
    const size_t bucket = BucketOf(hash);
    if (filled_[bucket] == batch_hashes_ && !WriteBatch(bucket, error)) return false;
    buffers_[bucket * batch_hashes_ + filled_[bucket]++] = hash;
    ++size_;
    checksum_ ^= hash;
    return true;
  }

  uint64_t size() const { return size_; }
  uint64_t checksum() const { return checksum_; }  // XOR of all hashes

  // Writes what is in buffers and frees these; Add may follow. False: some may be left in them.
  bool Flush(std::string* error);

  // Ascending with the hash.
  size_t BucketOf(uint64_t hash) const { return static_cast<size_t>(hash >> shift_); }

  // Consecutive hashes in the file, all of one bucket.
  struct Batch {
    uint64_t offset;
    uint32_t num_hashes;
  };
  // After Flush: all that a bucket has.
  const std::vector<Batch>& Batches(size_t bucket) const { return batches_[bucket]; }
  uint32_t max_batch_hashes() const { return batch_hashes_; }

  // `dst` has room for batch.num_hashes. Any number of threads at once.
  bool Read(const Batch& batch, uint64_t* dst, std::string* error) const;

  // Forgets all hashes.
  bool Clear(std::string* error);

 private:
  bool WriteBatch(size_t bucket, std::string* error);

  support::ScratchFile file_;
  int shift_ = 0;
  uint32_t batch_hashes_ = 0;
  std::unique_ptr<uint64_t[]> buffers_;  // one batch for each bucket
  std::vector<uint32_t> filled_;         // hashes in each buffer
  std::vector<std::vector<Batch>> batches_;
  uint64_t size_ = 0;
  uint64_t checksum_ = 0;
};

}  // namespace bloomline::sets

#endif  // BLOOMLINE_SETS_HASH_SPILL_H_
