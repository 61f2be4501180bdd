#include "bloomline/atomic_bloom_filter.h"

#include <new>
#include <utility>

#include "src/errors/out_of_memory.h"
#include "src/format/hash.h"
#include "src/in_memory/bloom_state.h"
#include "src/kernels/blocked/shared_words.h"

namespace bloomline {
using core::GivenHash;
using core::KeyHash;
using filters::BloomBits;
using filters::BloomState;

AtomicBloomFilter::AtomicBloomFilter(std::unique_ptr<BloomState> state)
    : state_(std::move(state)) {}
AtomicBloomFilter::~AtomicBloomFilter() = default;
AtomicBloomFilter::AtomicBloomFilter(AtomicBloomFilter&&) noexcept = default;
AtomicBloomFilter& AtomicBloomFilter::operator=(AtomicBloomFilter&&) noexcept = default;

std::unique_ptr<AtomicBloomFilter> AtomicBloomFilter::Create(const BloomFilterOptions& options,
                                                             std::string* error) {
  std::unique_ptr<BloomFilter> filter = BloomFilter::Create(options, error);
  if (filter == nullptr) return nullptr;
  std::unique_ptr<AtomicBloomFilter> atomic = ToAtomic(std::move(filter));
  if (atomic == nullptr) core::SetError(core::kOutOfMemory, error);
  return atomic;
}

std::unique_ptr<AtomicBloomFilter> AtomicBloomFilter::ToAtomic(
    std::unique_ptr<BloomFilter>&& filter) {
  if (filter == nullptr) return nullptr;
  std::unique_ptr<AtomicBloomFilter> atomic(new (std::nothrow) AtomicBloomFilter(nullptr));
  if (atomic == nullptr) return nullptr;
  atomic->state_ = std::move(filter->state_);
  filter = nullptr;
  return atomic;
}

std::unique_ptr<BloomFilter> AtomicBloomFilter::ToBloomFilter(
    std::unique_ptr<AtomicBloomFilter>&& filter) {
  if (filter == nullptr) return nullptr;
  std::unique_ptr<BloomFilter> filter_of_bits(new (std::nothrow) BloomFilter(nullptr));
  if (filter_of_bits == nullptr) return nullptr;
  filter_of_bits->SetState(std::move(filter->state_));
  filter_of_bits->state_->num_keys = filters::EstimatedNumKeys(filter_of_bits->state_->bits);
  filter = nullptr;
  return filter_of_bits;
}

std::unique_ptr<BloomFilter> AtomicBloomFilter::Snapshot(std::string* error) const {
  const BloomBits& source = state_->bits;
  auto copy = filters::NewBloomState(source.shape, state_->capacity, error);
  if (copy == nullptr) return nullptr;
  const auto* from = reinterpret_cast<const uint64_t*>(source.data);
  auto* to = reinterpret_cast<uint64_t*>(copy->bits.data);
  const uint64_t num_words = source.num_bytes() / sizeof(uint64_t);
  for (uint64_t i = 0; i < num_words; ++i) to[i] = kernels::LoadShared(from + i);
  copy->num_keys = filters::EstimatedNumKeys(copy->bits);
  return BloomFilter::FromState(std::move(copy), error);
}

BloomLayout AtomicBloomFilter::layout() const { return state_->bits.shape.layout; }
uint64_t AtomicBloomFilter::num_bits() const { return state_->bits.num_bits(); }
int AtomicBloomFilter::num_probes() const { return state_->bits.shape.num_probes; }
uint64_t AtomicBloomFilter::seed() const { return state_->bits.shape.seed; }
uint64_t AtomicBloomFilter::capacity() const { return state_->capacity; }

uint64_t AtomicBloomFilter::HashOf(std::string_view key) const {
  return core::Hash64(key, state_->bits.shape.seed);
}

bool AtomicBloomFilter::AddKey(std::string_view key) { return AddHash(HashOf(key)); }

bool AtomicBloomFilter::AddHash(uint64_t hash) {
  bool changed;
  filters::SharedAddHashes(state_->bits, 1, &hash, &changed);
  return changed;
}

__attribute__((flatten)) size_t AtomicBloomFilter::AddKeys(size_t n, const std::string_view* keys,
                                                           bool* changed) {
  return filters::AddKeys(state_->bits, n, KeyHash(keys, state_->bits.shape.seed),
                          filters::SharedAddHashes, changed);
}

size_t AtomicBloomFilter::AddHashes(size_t n, const uint64_t* hashes, bool* changed) {
  return filters::AddKeys(state_->bits, n, GivenHash{hashes}, filters::SharedAddHashes, changed);
}

bool AtomicBloomFilter::MayMatch(std::string_view key) const { return MayMatchHash(HashOf(key)); }

bool AtomicBloomFilter::MayMatchHash(uint64_t hash) const {
  bool may_match;
  filters::SharedMayMatchHashes(state_->bits, 1, &hash, &may_match);
  return may_match;
}

__attribute__((flatten)) void AtomicBloomFilter::MayMatch(size_t n, const std::string_view* keys,
                                                          bool* may_match) const {
  filters::MayMatchKeys(state_->bits, n, KeyHash(keys, state_->bits.shape.seed),
                        filters::SharedMayMatchHashes, may_match);
}

void AtomicBloomFilter::MayMatchHashes(size_t n, const uint64_t* hashes, bool* may_match) const {
  filters::MayMatchKeys(state_->bits, n, GivenHash{hashes}, filters::SharedMayMatchHashes,
                        may_match);
}

uint64_t AtomicBloomFilter::EstimatedNumKeys() const {
  return filters::EstimatedNumKeys(state_->bits);
}

double AtomicBloomFilter::EstimatedFalsePositiveRate() const {
  return filters::EstimatedFalsePositiveRate(state_->bits);
}

}  // namespace bloomline
