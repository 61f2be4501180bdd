#include "src/sets/hash_spill.h"

namespace bloomline::sets {
namespace {

// A batch is what is written and read at once; disks like large ones.
constexpr uint64_t kLargeBatchBytes = uint64_t{64} << 10;
constexpr uint64_t kSmallBatchBytes = uint64_t{4} << 10;
constexpr uint64_t kLargeBatchesFromBytes = uint64_t{32} << 20;
// More write streams would cost more in cache misses than they spare in reads.
constexpr int kMaxBucketBits = 11;

}  // namespace

bool HashSpill::Open(const std::string& directory, uint64_t memory_bytes, std::string* error) {
  const uint64_t batch_bytes =
      memory_bytes >= kLargeBatchesFromBytes ? kLargeBatchBytes : kSmallBatchBytes;
  int bucket_bits = 1;
  while (bucket_bits < kMaxBucketBits && (batch_bytes << (bucket_bits + 1)) <= memory_bytes) {
    ++bucket_bits;
  }
  shift_ = 64 - bucket_bits;
  batch_hashes_ = static_cast<uint32_t>(batch_bytes / sizeof(uint64_t));
  const size_t num_buckets = size_t{1} << bucket_bits;
  batches_.resize(num_buckets);
  filled_.resize(num_buckets);
  return file_.Open(directory, error);
}

bool HashSpill::WriteBatch(size_t bucket, std::string* error) {
  const Batch batch = {file_.size(), filled_[bucket]};
  batches_[bucket].push_back(batch);
  const uint64_t* hashes = buffers_.get() + bucket * batch_hashes_;
  if (!file_.Append(reinterpret_cast<const char*>(hashes), batch.num_hashes * sizeof(uint64_t),
                    error)) {
    batches_[bucket].pop_back();
    return false;
  }
  filled_[bucket] = 0;
  return true;
}

bool HashSpill::Flush(std::string* error) {
  if (buffers_ == nullptr) return true;
  for (size_t bucket = 0; bucket < batches_.size(); ++bucket) {
    if (filled_[bucket] != 0 && !WriteBatch(bucket, error)) return false;
  }
  buffers_.reset();
  return true;
}

bool HashSpill::Read(const Batch& batch, uint64_t* dst, std::string* error) const {
  return file_.ReadAt(batch.offset, batch.num_hashes * sizeof(uint64_t),
                      reinterpret_cast<char*>(dst), error);
}

bool HashSpill::Clear(std::string* error) {
  if (!file_.Truncate(error)) return false;
  buffers_.reset();
  for (std::vector<Batch>& batches : batches_) batches = {};
  filled_.assign(filled_.size(), 0);
  size_ = 0;
  checksum_ = 0;
  return true;
}

}  // namespace bloomline::sets
