#include "bloomline/counting_bloom_filter.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/filter/bits/hash.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/view/prefetch_ahead.h"
#include "src/sets/bloom_shape.h"
#include "src/sets/bloom_state.h"
#include "src/sets/counter_blocks.h"
#include "src/support/memory.h"
#include "src/support/number_text.h"
#include "src/support/set_error.h"

namespace bloomline {

namespace sets {

// The content of a counting filter: counters, their memory, and its figures.
struct CountingState : SavedState<CountingState> {
  static constexpr FilePayload kPayload = FilePayload::kCounters;

  BloomShape shape;  // of the Bloom filter with a bit for each counter
  CounterBlocks lines;
  uint64_t num_saturated = 0;

  // Returns a state whose counters are all zero. The layout of the shape is kBlocked128 or
  // kBlocked64. If memory runs out, it returns null, with one sentence in *error unless `error` is
  // null.
  static std::unique_ptr<CountingState> New(const BloomShape& shape, uint64_t capacity,
                                            std::string* error);

  static std::unique_ptr<CountingState> ReadSole(const support::ByteSource& source,
                                                 std::string* error) {
    auto state = SavedState::ReadSole(source, error);
    if (state != nullptr) state->num_saturated = state->lines.NumSaturated();
    return state;
  }

  BloomFileHeader header() const { return {shape, capacity, num_keys, lines.num_bytes(), 0, 0}; }
  char* payload() const { return memory.data(); }
};

std::unique_ptr<CountingState> CountingState::New(const BloomShape& shape, uint64_t capacity,
                                                  std::string* error) {
  const uint64_t counter_bits = CounterBits(shape.layout);
  const uint64_t num_lines = shape.num_lines * counter_bits;
  auto state = Zeroed(num_lines * kernels::kBlockBytes, capacity, "counters", error);
  if (state == nullptr) return nullptr;
  state->shape = shape;
  state->lines = {reinterpret_cast<unsigned char*>(state->memory.data()), num_lines,
                  static_cast<int>(counter_bits), shape.num_probes};
  return state;
}

}  // namespace sets

using sets::BloomShape;
using sets::CountingState;

namespace {

// Like sets::ShapeOf.
std::string CountingShapeOf(const CountingBloomFilterOptions& options, BloomShape* shape) {
  if (options.counter_bits != 4 && options.counter_bits != 8) {
    return support::StrCat("counter_bits is ", options.counter_bits, "; allowed: 4 and 8");
  }
  BloomFilterOptions bits;
  bits.capacity = options.capacity;
  bits.false_positive_rate = options.false_positive_rate;
  bits.num_bits = options.num_counters;
  bits.num_probes = options.num_probes;
  bits.layout = options.counter_bits == 4 ? BloomLayout::kBlocked128 : BloomLayout::kBlocked64;
  bits.seed = options.seed;
  return sets::ShapeOf(bits, shape, "counters");
}

// Calls run(count, hashes, answers) for groups of keys and returns how many answers were true.
// Stores the answers in `out` unless `out` is null.
template <typename Run>
inline size_t RunInGroups(const CountingState& state, size_t n, const std::string_view* keys,
                          bool* out, Run run) {
  const sets::CounterBlocks& lines = state.lines;
  bool unwanted[kernels::kBatchKeys];
  size_t num_true = 0;
  filter::ForEachBatch(
      n, filter::KeyHash(keys, state.shape.seed), lines.num_bytes() > kernels::kCachedBytes,
      [&](uint64_t hash) { __builtin_prefetch(lines.Block(hash), 1); },
      [&](size_t first, size_t count, const uint64_t* hashes) {
        bool* group = out == nullptr ? unwanted : out + first;
        run(count, hashes, group);
        num_true += filter::NumTrue(group, count);
      });
  return num_true;
}

}  // namespace

std::string CountingBloomFilterOptions::Validate() const {
  BloomShape shape;
  return CountingShapeOf(*this, &shape);
}

CountingBloomFilter::CountingBloomFilter(std::unique_ptr<CountingState> state)
    : state_(std::move(state)) {}
CountingBloomFilter::~CountingBloomFilter() = default;
CountingBloomFilter::CountingBloomFilter(CountingBloomFilter&&) noexcept = default;
CountingBloomFilter& CountingBloomFilter::operator=(CountingBloomFilter&&) noexcept = default;

std::unique_ptr<CountingBloomFilter> CountingBloomFilter::Create(
    const CountingBloomFilterOptions& options, std::string* error) {
  BloomShape shape;
  if (support::IsRefused(CountingShapeOf(options, &shape), error)) return nullptr;
  return FromState(CountingState::New(shape, options.capacity, error));
}

std::unique_ptr<CountingBloomFilter> CountingBloomFilter::FromState(
    std::unique_ptr<CountingState> state) {
  if (state == nullptr) return nullptr;
  return std::unique_ptr<CountingBloomFilter>(new CountingBloomFilter(std::move(state)));
}

uint64_t CountingBloomFilter::HashOf(std::string_view key) const {
  return filter::Hash64(key, state_->shape.seed);
}

__attribute__((flatten)) bool CountingBloomFilter::AddKey(std::string_view key) {
  return AddHash(HashOf(key));
}

__attribute__((flatten)) bool CountingBloomFilter::RemoveKey(std::string_view key) {
  return RemoveHash(HashOf(key));
}

__attribute__((flatten)) bool CountingBloomFilter::MayMatch(std::string_view key) const {
  return MayMatchHash(HashOf(key));
}

uint32_t CountingBloomFilter::EstimatedCount(std::string_view key) const {
  return EstimatedHashCount(HashOf(key));
}

bool CountingBloomFilter::AddHash(uint64_t hash) {
  bool was_absent;
  state_->lines.AddMany(1, &hash, &was_absent, &state_->num_saturated);
  ++state_->num_keys;
  return was_absent;
}

bool CountingBloomFilter::RemoveHash(uint64_t hash) {
  bool removed;
  state_->lines.RemoveMany(1, &hash, &removed);
  state_->num_keys -= removed && state_->num_keys > 0 ? 1 : 0;
  return removed;
}

bool CountingBloomFilter::MayMatchHash(uint64_t hash) const {
  bool may_match;
  state_->lines.MayMatchMany(1, &hash, &may_match);
  return may_match;
}

uint32_t CountingBloomFilter::EstimatedHashCount(uint64_t hash) const {
  return state_->lines.LeastCount(hash);
}

__attribute__((flatten)) size_t CountingBloomFilter::AddKeys(size_t n, const std::string_view* keys,
                                                             bool* was_absent) {
  state_->num_keys += n;
  return RunInGroups(*state_, n, keys, was_absent,
                     [&](size_t count, const uint64_t* hashes, bool* absent) {
                       state_->lines.AddMany(count, hashes, absent, &state_->num_saturated);
                     });
}

__attribute__((flatten)) size_t CountingBloomFilter::RemoveKeys(size_t n,
                                                                const std::string_view* keys,
                                                                bool* removed) {
  const size_t num_removed = RunInGroups(*state_, n, keys, removed,
                                         [&](size_t count, const uint64_t* hashes, bool* group) {
                                           state_->lines.RemoveMany(count, hashes, group);
                                         });
  state_->num_keys -= std::min<uint64_t>(num_removed, state_->num_keys);
  return num_removed;
}

__attribute__((flatten)) void CountingBloomFilter::MayMatch(size_t n, const std::string_view* keys,
                                                            bool* may_match) const {
  RunInGroups(*state_, n, keys, may_match,
              [&](size_t count, const uint64_t* hashes, bool* answers) {
                state_->lines.MayMatchMany(count, hashes, answers);
              });
}

uint64_t CountingBloomFilter::num_counters() const {
  return state_->shape.num_lines * kernels::kBlockBits;
}
int CountingBloomFilter::counter_bits() const { return state_->lines.counter_bits; }
int CountingBloomFilter::num_probes() const { return state_->shape.num_probes; }
uint64_t CountingBloomFilter::seed() const { return state_->shape.seed; }
uint64_t CountingBloomFilter::capacity() const { return state_->capacity; }
uint32_t CountingBloomFilter::max_count() const { return (1u << counter_bits()) - 1; }
uint64_t CountingBloomFilter::num_keys() const { return state_->num_keys; }
uint64_t CountingBloomFilter::num_saturated_counters() const { return state_->num_saturated; }

std::unique_ptr<BloomFilter> CountingBloomFilter::ToBloomFilter(std::string* error) const {
  auto bloom = sets::BloomState::New(state_->shape, state_->capacity, error);
  if (bloom == nullptr) return nullptr;
  state_->lines.ToBits(bloom->bits.data);
  bloom->num_keys = sets::EstimatedNumKeys(bloom->bits);
  return sets::BloomState::ToFilter(std::move(bloom));
}

bool CountingBloomFilter::Merge(const CountingBloomFilter& other, std::string* error) {
  if (support::IsRefused(sets::Difference(state_->shape, other.state_->shape, "counters"), error)) {
    return false;
  }
  state_->lines.Merge(other.state_->lines);
  state_->num_saturated = state_->lines.NumSaturated();
  state_->num_keys += other.state_->num_keys;
  return true;
}

bool CountingBloomFilter::Save(const std::string& path, std::string* error) const {
  return sets::SaveToFile(path, error, *state_);
}

bool CountingBloomFilter::ToBytes(std::string* bytes, std::string* error) const {
  return sets::SaveToBytes(bytes, error, *state_);
}

std::unique_ptr<CountingBloomFilter> CountingBloomFilter::Load(const std::string& path,
                                                               std::string* error) {
  return FromState(sets::LoadFromFile<CountingState>(path, error));
}

std::unique_ptr<CountingBloomFilter> CountingBloomFilter::FromBytes(std::string_view bytes,
                                                                    std::string* error) {
  return FromState(sets::LoadFromBytes<CountingState>(bytes, error));
}

void CountingBloomFilter::Clear() {
  std::memset(state_->lines.data, 0, static_cast<size_t>(state_->lines.num_bytes()));
  state_->num_keys = 0;
  state_->num_saturated = 0;
}

bool operator==(const CountingBloomFilter& a, const CountingBloomFilter& b) {
  const sets::CounterBlocks& mine = a.state_->lines;
  return a.state_->shape == b.state_->shape &&
         std::memcmp(mine.data, b.state_->lines.data, static_cast<size_t>(mine.num_bytes())) == 0;
}

}  // namespace bloomline
