#include "bloomline/scalable_bloom_filter.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "src/filter/bits/hash.h"
#include "src/sets/bloom_state.h"
#include "src/support/number_text.h"
#include "src/support/set_error.h"

namespace bloomline {
namespace {

using sets::ScalableState;

constexpr int kMaxGrowth = 16;
// More stages than anyone needs: with the defaults, kBlocked cannot reach the rate of stage 75.
constexpr size_t kMaxStages = 100;

constexpr size_t kGrowthOffset = 13;
constexpr size_t kInitialCapacityOffset = 24;
constexpr size_t kRateOffset = 32;
constexpr size_t kTighteningOffset = 40;
constexpr size_t kNumStagesOffset = 48;

BloomFilterOptions StageOptions(const ScalableBloomFilterOptions& options, size_t stage) {
  BloomFilterOptions result;
  result.capacity = options.initial_capacity;
  for (size_t i = 0; i < stage; ++i) {
    if (__builtin_mul_overflow(result.capacity, static_cast<uint64_t>(options.growth),
                               &result.capacity)) {
      result.capacity = UINT64_MAX;  // refused, with a reason
      break;
    }
  }
  result.false_positive_rate = options.false_positive_rate * (1 - options.tightening) *
                               std::pow(options.tightening, static_cast<double>(stage));
  result.layout = options.layout;
  result.seed = options.seed;
  return result;
}

}  // namespace

std::string ScalableBloomFilterOptions::Validate() const {
  using support::StrCat;
  if (initial_capacity == 0) return "initial_capacity is 0; allowed: 1 and more";
  if (growth < 1 || growth > kMaxGrowth) {
    return StrCat("growth is ", growth, "; allowed: 1 to ", kMaxGrowth);
  }
  if (!(tightening > 0 && tightening < 1)) {
    return StrCat("tightening is ", tightening, "; allowed: above 0 and below 1");
  }
  if (!(false_positive_rate > 0 && false_positive_rate < 1)) {
    return StrCat("false_positive_rate is ", false_positive_rate, "; allowed: above 0 and below 1");
  }
  const std::string error = StageOptions(*this, 0).Validate();
  return error.empty() ? "" : "the first stage, with rate * (1 - tightening): " + error;
}

namespace sets {

// The content of a scalable filter: at least one stage, stage 0 first.
struct ScalableState {
  explicit ScalableState(const ScalableBloomFilterOptions& all) : options(all) {
    stages.reserve(kMaxStages);
  }

  ScalableBloomFilterOptions options;
  std::vector<BloomFilter> stages;
  bool is_past_capacity = false;

  bool AddStage(std::string* error) {
    if (stages.size() == kMaxStages) {
      return support::Refuse(error, "the filter has ", kMaxStages, " stages, the maximum");
    }
    const auto stage = BloomFilter::Create(StageOptions(options, stages.size()), error);
    if (stage == nullptr) return false;
    stages.push_back(std::move(*stage));
    return true;
  }

  bool MayMatch(uint64_t hash) const {
    return std::any_of(stages.rbegin(), stages.rend(),
                       [=](const BloomFilter& stage) { return stage.MayMatchHash(hash); });
  }

  // Calls run(first, count, hashes) for groups of keys. The cache lines for queries were
  // prefetched.
  template <typename Run>
  void ForEachGroup(size_t n, const std::string_view* keys, Run run) const {
    const auto prefetch = [&](uint64_t hash) {
      for (const BloomFilter& stage : stages) {
        const BloomBits& bits = BloomState::Of(stage).bits;
        if (bits.is_worth_prefetching()) Prefetch<false>(bits, hash);
      }
    };
    filter::ForEachBatch(n, filter::KeyHash(keys, options.seed), true, prefetch, run);
  }

  // Answers queries of a group.
  void MayMatchGroup(size_t n, const uint64_t* hashes, bool* may_match) const {
    bool in_stage[kernels::kBatchKeys];
    std::fill(may_match, may_match + n, false);
    for (const BloomFilter& stage : stages) {
      const BloomBits& bits = BloomState::Of(stage).bits;
      bits.functions.may_match_many(bits.lines(), n, hashes, in_stage);
      for (size_t key = 0; key < n; ++key) may_match[key] |= in_stage[key];
    }
  }

  bool LastHasRoom() const { return stages.back().num_keys() < stages.back().capacity(); }

  // Adds a hash that no stage matched. Returns false if the last stage matches it now.
  bool AddNew(uint64_t hash) {
    // Growth is attempted once: sizing a stage that is then refused takes longer than adding
    // thousands of keys.
    if (!LastHasRoom() && !is_past_capacity) {
      is_past_capacity = !support::OrIfItThrows(false, [&] { return AddStage(nullptr); });
    }
    return stages.back().AddHash(hash);
  }

  template <typename Figure>
  uint64_t Sum(Figure figure) const {
    uint64_t sum = 0;
    for (const BloomFilter& stage : stages) sum += (stage.*figure)();
    return sum;
  }

  uint64_t SavedBytes() const {
    uint64_t num_bytes = kFileHeaderBytes;
    for (const BloomFilter& stage : stages) num_bytes += BloomState::Of(stage).SavedBytes();
    return num_bytes;
  }

  bool AppendTo(support::ByteSink* sink, std::string* error) const {
    FileHeader fields = FileHeader::New(kScalableMagic);
    fields.SetByte(kLayoutOffset, static_cast<uint8_t>(options.layout));
    fields.SetByte(kGrowthOffset, static_cast<uint8_t>(options.growth));
    fields.SetNumber(kSeedOffset, options.seed);
    fields.SetNumber(kInitialCapacityOffset, options.initial_capacity);
    fields.SetReal(kRateOffset, options.false_positive_rate);
    fields.SetReal(kTighteningOffset, options.tightening);
    fields.SetNumber(kNumStagesOffset, stages.size());
    fields.Seal();
    return sink->Append(fields.bytes(), kFileHeaderBytes, error) &&
           std::all_of(stages.begin(), stages.end(), [&](const BloomFilter& stage) {
             return BloomState::Of(stage).AppendTo(sink, error);
           });
  }

  static std::unique_ptr<ScalableState> ReadSole(const support::ByteSource& source,
                                                 std::string* error) {
    FileHeader fields;
    if (!FileHeader::Read(source, 0, kScalableMagic, &fields, error)) return nullptr;
    ScalableBloomFilterOptions options;
    options.layout = BloomLayout{fields.Byte(kLayoutOffset)};
    options.growth = fields.Byte(kGrowthOffset);
    options.seed = fields.Number(kSeedOffset);
    options.initial_capacity = fields.Number(kInitialCapacityOffset);
    options.false_positive_rate = fields.Real(kRateOffset);
    options.tightening = fields.Real(kTighteningOffset);
    const std::string invalid = options.Validate();
    if (!invalid.empty()) {
      *error = source.name() + ", header at offset 0: " + invalid;
      return nullptr;
    }
    const uint64_t num_stages = fields.Number(kNumStagesOffset);
    if (num_stages == 0 || num_stages > kMaxStages) {
      RefuseField(source, kNumStagesOffset, "number of stages", num_stages, error, "allowed: 1 to ",
                  kMaxStages);
      return nullptr;
    }
    auto state = std::make_unique<ScalableState>(options);
    uint64_t offset = kFileHeaderBytes;
    for (uint64_t i = 0; i < num_stages; ++i) {
      BloomFileHeader header;
      if (!ReadBloomHeader(source, offset, FilePayload::kBits, &header, error)) return nullptr;
      // A key is hashed once for all stages.
      if (header.shape.seed != options.seed) {
        RefuseField(source, offset + kSeedOffset, "seed", header.shape.seed, error,
                    "that of the whole filter is ", options.seed);
        return nullptr;
      }
      const auto stage = BloomState::ToFilter(BloomState::Read(source, header, error));
      if (stage == nullptr) return nullptr;
      state->stages.push_back(std::move(*stage));
      offset = header.end();
    }
    return EndsAt(source, offset, error) ? std::move(state) : nullptr;
  }
};

}  // namespace sets

ScalableBloomFilter::ScalableBloomFilter(std::unique_ptr<ScalableState> state)
    : state_(std::move(state)) {}
ScalableBloomFilter::~ScalableBloomFilter() = default;
ScalableBloomFilter::ScalableBloomFilter(ScalableBloomFilter&&) noexcept = default;
ScalableBloomFilter& ScalableBloomFilter::operator=(ScalableBloomFilter&&) noexcept = default;

std::unique_ptr<ScalableBloomFilter> ScalableBloomFilter::FromState(
    std::unique_ptr<ScalableState> state) {
  if (state == nullptr) return nullptr;
  return std::unique_ptr<ScalableBloomFilter>(new ScalableBloomFilter(std::move(state)));
}

std::unique_ptr<ScalableBloomFilter> ScalableBloomFilter::Create(
    const ScalableBloomFilterOptions& options, std::string* error) {
  if (support::IsRefused(options.Validate(), error)) return nullptr;
  auto state = std::make_unique<ScalableState>(options);
  return state->AddStage(error) ? FromState(std::move(state)) : nullptr;
}

bool ScalableBloomFilter::AddKey(std::string_view key) {
  const uint64_t hash = filter::Hash64(key, state_->options.seed);
  return !state_->MayMatch(hash) && state_->AddNew(hash);
}

__attribute__((flatten)) size_t ScalableBloomFilter::AddKeys(size_t n, const std::string_view* keys,
                                                             bool* changed) {
  size_t added = 0;
  state_->ForEachGroup(n, keys, [&](size_t first, size_t count, const uint64_t* hashes) {
    bool known[kernels::kBatchKeys];
    state_->MayMatchGroup(count, hashes, known);
    const size_t num_stages = state_->stages.size();
    for (size_t i = 0; i < count; ++i) {
      // A key of this group may have been added since. AddNew sees that if both keys go to the same
      // stage.
      const auto is_known_since = [&] {
        const bool same_stage = state_->stages.size() == num_stages && state_->LastHasRoom();
        return !same_stage && state_->MayMatch(hashes[i]);
      };
      const bool is_new = !known[i] && !is_known_since() && state_->AddNew(hashes[i]);
      added += is_new ? 1 : 0;
      if (changed != nullptr) changed[first + i] = is_new;
    }
  });
  return added;
}

bool ScalableBloomFilter::MayMatch(std::string_view key) const {
  return state_->MayMatch(filter::Hash64(key, state_->options.seed));
}

__attribute__((flatten)) void ScalableBloomFilter::MayMatch(size_t n, const std::string_view* keys,
                                                            bool* may_match) const {
  state_->ForEachGroup(n, keys, [&](size_t first, size_t count, const uint64_t* hashes) {
    state_->MayMatchGroup(count, hashes, may_match + first);
  });
}

const ScalableBloomFilterOptions& ScalableBloomFilter::options() const { return state_->options; }
size_t ScalableBloomFilter::num_stages() const { return state_->stages.size(); }
const BloomFilter& ScalableBloomFilter::stage(size_t i) const { return state_->stages[i]; }
bool ScalableBloomFilter::IsPastCapacity() const { return state_->is_past_capacity; }
uint64_t ScalableBloomFilter::num_bits() const { return state_->Sum(&BloomFilter::num_bits); }
uint64_t ScalableBloomFilter::capacity() const { return state_->Sum(&BloomFilter::capacity); }
uint64_t ScalableBloomFilter::num_keys() const { return state_->Sum(&BloomFilter::num_keys); }
uint64_t ScalableBloomFilter::EstimatedNumKeys() const {
  return state_->Sum(&BloomFilter::EstimatedNumKeys);
}

double ScalableBloomFilter::EstimatedFalsePositiveRate() const {
  double none = 1;
  for (const auto& stage : state_->stages) none *= 1 - stage.EstimatedFalsePositiveRate();
  return 1 - none;
}

void ScalableBloomFilter::Clear() {
  state_->stages.erase(state_->stages.begin() + 1, state_->stages.end());
  state_->stages[0].Clear();
  state_->is_past_capacity = false;
}

bool ScalableBloomFilter::Save(const std::string& path, std::string* error) const {
  return sets::SaveToFile(path, error, *state_);
}

bool ScalableBloomFilter::ToBytes(std::string* bytes, std::string* error) const {
  return sets::SaveToBytes(bytes, error, *state_);
}

std::unique_ptr<ScalableBloomFilter> ScalableBloomFilter::Load(const std::string& path,
                                                               std::string* error) {
  return FromState(sets::LoadFromFile<ScalableState>(path, error));
}

std::unique_ptr<ScalableBloomFilter> ScalableBloomFilter::FromBytes(std::string_view bytes,
                                                                    std::string* error) {
  return FromState(sets::LoadFromBytes<ScalableState>(bytes, error));
}

}  // namespace bloomline
