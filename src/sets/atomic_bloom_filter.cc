#include "bloomline/atomic_bloom_filter.h"

#include <utility>

#include "src/sets/bloom_state.h"

namespace bloomline {

using filter::GivenHash;
using filter::KeyHash;
using sets::BloomBits;
using sets::BloomState;

std::unique_ptr<AtomicBloomFilter> AtomicBloomFilter::Create(const BloomFilterOptions& options,
                                                             std::string* error) {
  return ToAtomic(BloomFilter::Create(options, error));
}

std::unique_ptr<AtomicBloomFilter> AtomicBloomFilter::ToAtomic(
    std::unique_ptr<BloomFilter>&& filter) {
  if (filter == nullptr) return nullptr;
  BloomBits& bits = BloomState::Of(*filter).bits;
  bits = {bits.shape, bits.data, sets::Threads::kMany};
  std::unique_ptr<AtomicBloomFilter> atomic(new AtomicBloomFilter(BloomState::Take(filter.get())));
  filter = nullptr;
  return atomic;
}

std::unique_ptr<BloomFilter> AtomicBloomFilter::ToBloomFilter(
    std::unique_ptr<AtomicBloomFilter>&& filter) {
  if (filter == nullptr) return nullptr;
  auto bloom = BloomState::NewFilter([&] {
    BloomState& state = *filter->state_;
    state.bits = {state.bits.shape, state.bits.data};
    state.num_keys = sets::EstimatedNumKeys(state.bits);
    return std::move(filter->state_);
  });
  filter = nullptr;
  return bloom;
}

std::unique_ptr<BloomFilter> AtomicBloomFilter::Snapshot(std::string* error) const {
  auto copy = BloomState::Copy(*state_, error);
  if (copy == nullptr) return nullptr;
  copy->num_keys = sets::EstimatedNumKeys(copy->bits);
  return BloomState::ToFilter(std::move(copy));
}

__attribute__((flatten)) size_t AtomicBloomFilter::AddKeys(size_t n, const std::string_view* keys,
                                                           bool* changed) {
  return sets::AddKeys(state_->bits, n, KeyHash(keys, state_->bits.shape.seed), changed);
}

size_t AtomicBloomFilter::AddHashes(size_t n, const uint64_t* hashes, bool* changed) {
  return sets::AddKeys(state_->bits, n, GivenHash{hashes}, changed);
}

}  // namespace bloomline
