#include "bloomline/atomic_bloom_filter.h"

#include <utility>

#include "src/filter/bits/hash.h"
#include "src/filter/layouts/blocked/atomic_blocks.h"
#include "src/sets/bloom_state.h"

namespace bloomline {
using filter::GivenHash;
using filter::KeyHash;
using sets::BloomBits;
using sets::BloomState;

AtomicBloomFilter::AtomicBloomFilter(std::unique_ptr<BloomState> state)
    : state_(std::move(state)) {}
AtomicBloomFilter::~AtomicBloomFilter() = default;
AtomicBloomFilter::AtomicBloomFilter(AtomicBloomFilter&&) noexcept = default;
AtomicBloomFilter& AtomicBloomFilter::operator=(AtomicBloomFilter&&) noexcept = default;

std::unique_ptr<AtomicBloomFilter> AtomicBloomFilter::Create(const BloomFilterOptions& options,
                                                             std::string* error) {
  std::unique_ptr<BloomFilter> filter = BloomFilter::Create(options, error);
  return ToAtomic(std::move(filter));
}

std::unique_ptr<AtomicBloomFilter> AtomicBloomFilter::ToAtomic(
    std::unique_ptr<BloomFilter>&& filter) {
  if (filter == nullptr) return nullptr;
  std::unique_ptr<AtomicBloomFilter> atomic(new AtomicBloomFilter(std::move(filter->state_)));
  filter = nullptr;
  return atomic;
}

std::unique_ptr<BloomFilter> AtomicBloomFilter::ToBloomFilter(
    std::unique_ptr<AtomicBloomFilter>&& filter) {
  if (filter == nullptr) return nullptr;
  filter->state_->num_keys = sets::EstimatedNumKeys(filter->state_->bits);
  std::unique_ptr<BloomFilter> bloom = BloomFilter::FromState(std::move(filter->state_));
  filter = nullptr;
  return bloom;
}

std::unique_ptr<BloomFilter> AtomicBloomFilter::Snapshot(std::string* error) const {
  const BloomBits& source = state_->bits;
  auto copy = BloomState::New(source.shape, state_->capacity, error);
  if (copy == nullptr) return nullptr;
  const auto* from = reinterpret_cast<const uint64_t*>(source.data);
  auto* to = reinterpret_cast<uint64_t*>(copy->bits.data);
  const uint64_t num_words = source.num_bytes() / sizeof(uint64_t);
  for (uint64_t i = 0; i < num_words; ++i) to[i] = kernels::LoadAtomic(from + i);
  copy->num_keys = sets::EstimatedNumKeys(copy->bits);
  return BloomFilter::FromState(std::move(copy));
}

BloomLayout AtomicBloomFilter::layout() const { return state_->bits.shape.layout; }
uint64_t AtomicBloomFilter::num_bits() const { return state_->bits.num_bits(); }
int AtomicBloomFilter::num_probes() const { return state_->bits.shape.num_probes; }
uint64_t AtomicBloomFilter::seed() const { return state_->bits.shape.seed; }
uint64_t AtomicBloomFilter::capacity() const { return state_->capacity; }

uint64_t AtomicBloomFilter::HashOf(std::string_view key) const {
  return filter::Hash64(key, state_->bits.shape.seed);
}

bool AtomicBloomFilter::AddKey(std::string_view key) { return AddHash(HashOf(key)); }

bool AtomicBloomFilter::AddHash(uint64_t hash) {
  bool changed;
  sets::AtomicAddHashes(state_->bits, 1, &hash, &changed);
  return changed;
}

__attribute__((flatten)) size_t AtomicBloomFilter::AddKeys(size_t n, const std::string_view* keys,
                                                           bool* changed) {
  return sets::AddKeys(state_->bits, n, KeyHash(keys, state_->bits.shape.seed),
                       sets::AtomicAddHashes, changed);
}

size_t AtomicBloomFilter::AddHashes(size_t n, const uint64_t* hashes, bool* changed) {
  return sets::AddKeys(state_->bits, n, GivenHash{hashes}, sets::AtomicAddHashes, changed);
}

bool AtomicBloomFilter::MayMatch(std::string_view key) const { return MayMatchHash(HashOf(key)); }

bool AtomicBloomFilter::MayMatchHash(uint64_t hash) const {
  bool may_match;
  sets::AtomicMayMatchHashes(state_->bits, 1, &hash, &may_match);
  return may_match;
}

__attribute__((flatten)) void AtomicBloomFilter::MayMatch(size_t n, const std::string_view* keys,
                                                          bool* may_match) const {
  sets::MayMatchKeys(state_->bits, n, KeyHash(keys, state_->bits.shape.seed),
                     sets::AtomicMayMatchHashes, may_match);
}

void AtomicBloomFilter::MayMatchHashes(size_t n, const uint64_t* hashes, bool* may_match) const {
  sets::MayMatchKeys(state_->bits, n, GivenHash{hashes}, sets::AtomicMayMatchHashes, may_match);
}

uint64_t AtomicBloomFilter::EstimatedNumKeys() const {
  return sets::EstimatedNumKeys(state_->bits);
}

double AtomicBloomFilter::EstimatedFalsePositiveRate() const {
  return sets::EstimatedFalsePositiveRate(state_->bits);
}

}  // namespace bloomline
