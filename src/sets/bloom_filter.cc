#include "bloomline/bloom_filter.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/filter/bits/hash.h"
#include "src/filter/view/prefetch_ahead.h"
#include "src/sets/bloom_state.h"
#include "src/support/file_io.h"
#include "src/support/set_error.h"

namespace bloomline {

namespace sets {

std::unique_ptr<BloomState> BloomState::New(const BloomShape& shape, uint64_t capacity,
                                            std::string* error) {
  auto state = Zeroed(shape.num_lines * kernels::kBlockBytes, capacity, "bits", error);
  if (state != nullptr) state->bits = {shape, state->memory.data()};
  return state;
}

std::unique_ptr<BloomState> BloomState::Copy(const BloomState& from, std::string* error) {
  auto copy = New(from.bits.shape, from.capacity, error);
  if (copy == nullptr) return nullptr;
  CopyBits(from.bits, copy->bits.data);
  copy->num_keys = from.num_keys;
  return copy;
}

}  // namespace sets

using filter::GivenHash;
using filter::KeyHash;
using sets::BloomBits;
using sets::BloomState;

namespace {

template <typename Operation>
void Combine(const BloomBits& mine, const BloomBits& theirs, Operation operation) {
  // Bitwise operations give the same bytes in any byte order.
  auto* words = reinterpret_cast<uint64_t*>(mine.data);
  const auto* other_words = reinterpret_cast<const uint64_t*>(theirs.data);
  const uint64_t num_words = mine.num_bytes() / sizeof(uint64_t);
  for (uint64_t i = 0; i < num_words; ++i) words[i] = operation(words[i], other_words[i]);
}

}  // namespace

BloomFilterBase::BloomFilterBase(std::unique_ptr<BloomState> state)
    : state_(std::move(state)),
      lines_(state_->bits.lines()),
      functions_(state_->bits.functions),
      num_keys_(&state_->num_keys),
      hasher_(state_->bits.shape.seed) {}

BloomFilterBase::~BloomFilterBase() = default;
BloomFilterBase::BloomFilterBase(BloomFilterBase&& other) noexcept { *this = std::move(other); }

BloomFilterBase& BloomFilterBase::operator=(BloomFilterBase&& other) noexcept {
  state_ = std::move(other.state_);
  // The other's bits may soon be freed; no pointer to them may remain.
  lines_ = std::exchange(other.lines_, {});
  functions_ = std::exchange(other.functions_, {});
  num_keys_ = std::exchange(other.num_keys_, nullptr);
  hasher_ = other.hasher_;
  return *this;
}

BloomLayout BloomFilterBase::layout() const { return state_->bits.shape.layout; }
uint64_t BloomFilterBase::num_bits() const { return state_->bits.num_bits(); }
int BloomFilterBase::num_probes() const { return state_->bits.shape.num_probes; }
uint64_t BloomFilterBase::seed() const { return state_->bits.shape.seed; }
uint64_t BloomFilterBase::capacity() const { return state_->capacity; }
uint64_t BloomFilterBase::num_keys() const { return state_->num_keys; }

bool BloomFilterBase::IsPastCapacity() const {
  return state_->capacity != 0 && state_->num_keys > state_->capacity;
}

uint64_t BloomFilterBase::HashOf(std::string_view key) const {
  return filter::Hash64(key, state_->bits.shape.seed);
}

__attribute__((flatten)) void BloomFilterBase::MayMatch(size_t n, const std::string_view* keys,
                                                        bool* may_match) const {
  sets::MayMatchKeys(state_->bits, n, KeyHash(keys, state_->bits.shape.seed), may_match);
}

void BloomFilterBase::MayMatchHashes(size_t n, const uint64_t* hashes, bool* may_match) const {
  sets::MayMatchKeys(state_->bits, n, GivenHash{hashes}, may_match);
}

uint64_t BloomFilterBase::EstimatedNumKeys() const { return sets::EstimatedNumKeys(state_->bits); }

double BloomFilterBase::EstimatedFalsePositiveRate() const {
  return sets::EstimatedFalsePositiveRate(state_->bits);
}

bool operator==(const BloomFilterBase& a, const BloomFilterBase& b) {
  const BloomBits& mine = a.state_->bits;
  const BloomBits& other = b.state_->bits;
  return mine.shape == other.shape &&
         std::memcmp(mine.data, other.data, static_cast<size_t>(mine.num_bytes())) == 0;
}

bool BloomFilterBase::Save(const std::string& path, std::string* error) const {
  return sets::SaveToFile(path, error, *state_);
}

bool BloomFilterBase::ToBytes(std::string* bytes, std::string* error) const {
  return sets::SaveToBytes(bytes, error, *state_);
}

std::unique_ptr<BloomFilter> BloomFilter::Create(const BloomFilterOptions& options,
                                                 std::string* error) {
  sets::BloomShape shape;
  if (support::IsRefused(sets::ShapeOf(options, &shape), error)) return nullptr;
  return BloomState::ToFilter(BloomState::New(shape, options.capacity, error));
}

std::unique_ptr<BloomFilter> BloomFilter::Copy(const BloomFilterBase& from, std::string* error) {
  return BloomState::ToFilter(BloomState::Copy(BloomState::Of(from), error));
}

std::unique_ptr<BloomFilter> BloomFilter::Load(const std::string& path, std::string* error) {
  return BloomState::ToFilter(sets::LoadFromFile<BloomState>(path, error));
}

std::unique_ptr<BloomFilter> BloomFilter::FromBytes(std::string_view bytes, std::string* error) {
  return BloomState::ToFilter(sets::LoadFromBytes<BloomState>(bytes, error));
}

__attribute__((flatten)) size_t BloomFilter::AddKeys(size_t n, const std::string_view* keys,
                                                     bool* changed) {
  const size_t added =
      sets::AddKeys(state_->bits, n, KeyHash(keys, state_->bits.shape.seed), changed);
  state_->num_keys += added;
  return added;
}

size_t BloomFilter::AddHashes(size_t n, const uint64_t* hashes, bool* changed) {
  const size_t added = sets::AddKeys(state_->bits, n, GivenHash{hashes}, changed);
  state_->num_keys += added;
  return added;
}

bool BloomFilter::Merge(const BloomFilterBase& other, std::string* error) {
  const BloomBits& theirs = BloomState::Of(other).bits;
  if (support::IsRefused(sets::Difference(state_->bits.shape, theirs.shape), error)) return false;
  Combine(state_->bits, theirs, [](uint64_t a, uint64_t b) { return a | b; });
  state_->num_keys = EstimatedNumKeys();
  return true;
}

bool BloomFilter::Intersect(const BloomFilterBase& other, std::string* error) {
  const BloomBits& theirs = BloomState::Of(other).bits;
  if (support::IsRefused(sets::Difference(state_->bits.shape, theirs.shape), error)) return false;
  state_->num_keys = sets::EstimatedNumSharedKeys(state_->bits, theirs);
  Combine(state_->bits, theirs, [](uint64_t a, uint64_t b) { return a & b; });
  return true;
}

void BloomFilter::Clear() {
  state_->num_keys = 0;
  state_->memory.Zero();
}

std::unique_ptr<MappedBloomFilter> MappedBloomFilter::Open(const std::string& path, Verify verify,
                                                           std::string* error) {
  return support::OrError(error, [&](std::string* reason) -> std::unique_ptr<MappedBloomFilter> {
    support::InputFile file;
    sets::BloomFileHeader header;
    if (!file.Open(path, reason) ||
        !sets::ReadSoleBloomHeader(file, sets::FilePayload::kBits, &header, reason)) {
      return nullptr;
    }
    auto state = std::make_unique<sets::BloomState>();
    state->memory = support::AlignedMemory::OfFile(file.descriptor(), header.end());
    if (state->memory.data() == nullptr) {
      support::SystemFailure(path, "cannot map " + std::to_string(header.end()) + " bytes", reason);
      return nullptr;
    }
    char* payload = state->memory.data() + header.payload_offset;
    if (verify == Verify::kPayload && !sets::PayloadMatches(file, header, payload, reason)) {
      return nullptr;
    }
    state->bits = {header.shape, payload};
    state->capacity = header.capacity;
    state->num_keys = header.num_keys;
    return std::unique_ptr<MappedBloomFilter>(new MappedBloomFilter(std::move(state)));
  });
}

}  // namespace bloomline
