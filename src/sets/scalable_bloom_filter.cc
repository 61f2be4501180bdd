#include "bloomline/scalable_bloom_filter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bloomline/sizing.h"
#include "src/filter/bits/hash.h"
#include "src/filter/rates/rates.h"
#include "src/sets/bloom_state.h"
#include "src/support/number_text.h"
#include "src/support/set_error.h"

namespace bloomline {
namespace {

using sets::BloomBits;
using support::SetError;

constexpr int kMaxGrowth = 16;
// More than any use needs: with the defaults, stage 75 is out of the reach of kBlocked.
constexpr size_t kMaxStages = 100;

constexpr size_t kGrowthOffset = 13;
constexpr size_t kInitialCapacityOffset = 24;
constexpr size_t kRateOffset = 32;
constexpr size_t kTighteningOffset = 40;
constexpr size_t kNumStagesOffset = 48;
static_assert(kGrowthOffset == sets::kLayoutOffset + 1 &&
              kGrowthOffset + 1 == sets::kReservedOffset);
static_assert(kInitialCapacityOffset == sets::kSeedOffset + 8 &&
              kRateOffset == kInitialCapacityOffset + 8 && kTighteningOffset == kRateOffset + 8 &&
              kNumStagesOffset == kTighteningOffset + 8 &&
              sets::kHeaderChecksumOffset == kNumStagesOffset + 8);

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
  const BloomFilterOptions first_stage = StageOptions(*this, 0);
  sets::BloomShape shape;
  const std::string error = sets::ShapeOf(first_stage, &shape);
  if (error.empty()) return "";
  if (!sets::IsLayout(static_cast<int>(layout)) ||
      sets::IsReachable(layout, first_stage.false_positive_rate)) {
    return "the first stage: " + error;
  }
  // The rate that was set is that of all stages together.
  const double least = filter::RoundedUp(sets::LeastRate(layout) / (1 - tightening));
  const std::string allowed = least < 1 ? StrCat("from ", least, ", where the first stage takes ",
                                                 kMaxBitsPerKey, " bits per key, to below 1")
                                        : "a lower tightening";
  return StrCat("false_positive_rate is ", false_positive_rate, " and tightening ", tightening,
                "; allowed with ", sets::NameIn(layout, "bits"), ": ", allowed);
}

ScalableBloomFilter::ScalableBloomFilter(const ScalableBloomFilterOptions& options)
    : options_(options) {
  stages_.reserve(kMaxStages);
}
ScalableBloomFilter::~ScalableBloomFilter() = default;
ScalableBloomFilter::ScalableBloomFilter(ScalableBloomFilter&&) noexcept = default;

// A vector that is moved to itself is empty, and with it all keys would be lost.
ScalableBloomFilter& ScalableBloomFilter::operator=(ScalableBloomFilter&& other) noexcept {
  if (this == &other) return *this;
  options_ = other.options_;
  stages_ = std::move(other.stages_);
  is_past_capacity_ = other.is_past_capacity_;
  return *this;
}

std::unique_ptr<ScalableBloomFilter> ScalableBloomFilter::Create(
    const ScalableBloomFilterOptions& options, std::string* error) {
  if (support::IsRefused(options.Validate(), error)) return nullptr;
  std::unique_ptr<ScalableBloomFilter> filter(new ScalableBloomFilter(options));
  return filter->AddStage(error) ? std::move(filter) : nullptr;
}

bool ScalableBloomFilter::AddStage(std::string* error) {
  if (stages_.size() == kMaxStages) {
    SetError(support::StrCat("the filter has ", kMaxStages, " stages, which is the most"), error);
    return false;
  }
  std::unique_ptr<BloomFilter> stage =
      BloomFilter::Create(StageOptions(options_, stages_.size()), error);
  if (stage == nullptr) return false;
  stages_.push_back(std::move(*stage));
  return true;
}

bool ScalableBloomFilter::MayMatchHash(uint64_t hash) const {
  for (size_t i = stages_.size(); i-- > 0;) {
    if (stages_[i].MayMatchHash(hash)) return true;
  }
  return stages_.empty();  // moved from: without stages, never answer "no"
}

// At most kBatchKeys hashes, whose cache lines were prefetched.
void ScalableBloomFilter::PrefetchedMayMatch(size_t n, const uint64_t* hashes,
                                             bool* may_match) const {
  if (stages_.empty()) {
    std::fill(may_match, may_match + n, true);
    return;
  }
  const auto query = [&](size_t i, bool* answers) {
    const BloomBits& bits = stages_[i].state_->bits;
    bits.functions.may_match_many(bits.lines(), n, hashes, answers);
  };
  query(stages_.size() - 1, may_match);
  bool in_stage[kernels::kBatchKeys];
  for (size_t i = stages_.size() - 1; i-- > 0;) {
    query(i, in_stage);
    for (size_t key = 0; key < n; ++key) may_match[key] |= in_stage[key];
  }
}

void ScalableBloomFilter::PrefetchForQuery(uint64_t hash) const {
  for (const auto& stage : stages_) {
    const BloomBits& bits = stage.state_->bits;
    if (bits.is_worth_prefetching()) sets::PrefetchForQuery(bits, hash);
  }
}

bool ScalableBloomFilter::LastHasRoom() const {
  return stages_.back().num_keys() < stages_.back().capacity();
}

bool ScalableBloomFilter::AddNewHash(uint64_t hash) {
  // Attempted once: sizing a stage that is then refused takes longer than adding thousands of keys.
  if (!LastHasRoom() && !is_past_capacity_) is_past_capacity_ = !AddStage(nullptr);
  return stages_.back().AddHash(hash);
}

bool ScalableBloomFilter::AddKey(std::string_view key) {
  const uint64_t hash = filter::Hash64(key, options_.seed);
  return !MayMatchHash(hash) && AddNewHash(hash);
}

__attribute__((flatten)) size_t ScalableBloomFilter::AddKeys(size_t n, const std::string_view* keys,
                                                             bool* changed) {
  size_t added = 0;
  filter::ForEachBatch(
      n, filter::KeyHash(keys, options_.seed), true, [&](uint64_t hash) { PrefetchForQuery(hash); },
      [&](size_t first, size_t count, const uint64_t* hashes) {
        bool known[kernels::kBatchKeys];
        PrefetchedMayMatch(count, hashes, known);
        const size_t num_stages = stages_.size();
        for (size_t i = 0; i < count; ++i) {
          // A key of this group may have been added since. AddHash sees that if both go to the same
          // stage.
          const auto is_known_since = [&] {
            const bool same_stage = stages_.size() == num_stages && LastHasRoom();
            return !same_stage && MayMatchHash(hashes[i]);
          };
          const bool is_new = !known[i] && !is_known_since() && AddNewHash(hashes[i]);
          added += is_new ? 1 : 0;
          if (changed != nullptr) changed[first + i] = is_new;
        }
      });
  return added;
}

bool ScalableBloomFilter::MayMatch(std::string_view key) const {
  return MayMatchHash(filter::Hash64(key, options_.seed));
}

__attribute__((flatten)) void ScalableBloomFilter::MayMatch(size_t n, const std::string_view* keys,
                                                            bool* may_match) const {
  filter::ForEachBatch(
      n, filter::KeyHash(keys, options_.seed), true, [&](uint64_t hash) { PrefetchForQuery(hash); },
      [&](size_t first, size_t count, const uint64_t* hashes) {
        PrefetchedMayMatch(count, hashes, may_match + first);
      });
}

const ScalableBloomFilterOptions& ScalableBloomFilter::options() const { return options_; }
size_t ScalableBloomFilter::num_stages() const { return stages_.size(); }
const BloomFilter& ScalableBloomFilter::stage(size_t i) const { return stages_[i]; }
bool ScalableBloomFilter::IsPastCapacity() const { return is_past_capacity_; }

template <typename Figure>
uint64_t ScalableBloomFilter::Sum(Figure figure) const {
  uint64_t sum = 0;
  for (const auto& stage : stages_) sum += (stage.*figure)();
  return sum;
}

uint64_t ScalableBloomFilter::num_bits() const { return Sum(&BloomFilter::num_bits); }
uint64_t ScalableBloomFilter::capacity() const { return Sum(&BloomFilter::capacity); }
uint64_t ScalableBloomFilter::num_keys() const { return Sum(&BloomFilter::num_keys); }
uint64_t ScalableBloomFilter::EstimatedNumKeys() const {
  return Sum(&BloomFilter::EstimatedNumKeys);
}

double ScalableBloomFilter::EstimatedFalsePositiveRate() const {
  double none = 1;
  for (const auto& stage : stages_) none *= 1 - stage.EstimatedFalsePositiveRate();
  return 1 - none;
}

void ScalableBloomFilter::Clear() {
  if (stages_.empty()) return;  // moved from
  stages_.erase(stages_.begin() + 1, stages_.end());
  stages_[0].Clear();
  is_past_capacity_ = false;
}

// The object that SaveToFile writes.
struct ScalableBloomFilter::Saved {
  const ScalableBloomFilter& filter;

  uint64_t SavedBytes() const {
    uint64_t num_bytes = sets::kFileHeaderBytes;
    for (const auto& stage : filter.stages_) num_bytes += stage.state_->SavedBytes();
    return num_bytes;
  }

  bool AppendTo(support::ByteSink* sink, std::string* error) const {
    const ScalableBloomFilterOptions& options = filter.options_;
    sets::FileHeader fields = sets::FileHeader::New(sets::kScalableMagic);
    fields.SetByte(sets::kLayoutOffset, static_cast<uint8_t>(options.layout));
    fields.SetByte(kGrowthOffset, static_cast<uint8_t>(options.growth));
    fields.SetNumber(sets::kSeedOffset, options.seed);
    fields.SetNumber(kInitialCapacityOffset, options.initial_capacity);
    fields.SetReal(kRateOffset, options.false_positive_rate);
    fields.SetReal(kTighteningOffset, options.tightening);
    fields.SetNumber(kNumStagesOffset, filter.stages_.size());
    fields.Seal();
    bool written = sink->Append(fields.bytes(), sets::kFileHeaderBytes, error);
    for (size_t i = 0; written && i < filter.stages_.size(); ++i) {
      written = filter.stages_[i].state_->AppendTo(sink, error);
    }
    return written;
  }
};

bool ScalableBloomFilter::Save(const std::string& path, std::string* error) const {
  return sets::SaveToFile(path, error, Saved{*this});
}

bool ScalableBloomFilter::ToBytes(std::string* bytes, std::string* error) const {
  return sets::SaveToBytes(bytes, error, Saved{*this});
}

std::unique_ptr<ScalableBloomFilter> ScalableBloomFilter::Load(const std::string& path,
                                                               std::string* error) {
  return sets::LoadFromFile<ScalableBloomFilter>(path, error, Read);
}

std::unique_ptr<ScalableBloomFilter> ScalableBloomFilter::FromBytes(std::string_view bytes,
                                                                    std::string* error) {
  return sets::LoadFromBytes<ScalableBloomFilter>(bytes, error, Read);
}

std::unique_ptr<ScalableBloomFilter> ScalableBloomFilter::Read(const support::ByteSource& source,
                                                               std::string* error) {
  sets::FileHeader fields;
  if (!sets::FileHeader::Read(source, 0, sets::kScalableMagic, &fields, error)) return nullptr;
  ScalableBloomFilterOptions options;
  options.layout = BloomLayout{fields.Byte(sets::kLayoutOffset)};
  options.growth = fields.Byte(kGrowthOffset);
  options.seed = fields.Number(sets::kSeedOffset);
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
    *error =
        sets::FieldError(source, kNumStagesOffset, "number of stages", std::to_string(num_stages),
                         "allowed: 1 to " + std::to_string(kMaxStages));
    return nullptr;
  }
  std::unique_ptr<ScalableBloomFilter> filter(new ScalableBloomFilter(options));
  uint64_t offset = sets::kFileHeaderBytes;
  for (uint64_t i = 0; i < num_stages; ++i) {
    sets::BloomFileHeader header;
    if (!sets::ReadBloomHeader(source, offset, sets::FilePayload::kBits, &header, error))
      return nullptr;
    // A key is hashed once for all stages.
    if (header.shape.seed != options.seed) {
      *error = sets::FieldError(source, offset + sets::kSeedOffset, "seed",
                                std::to_string(header.shape.seed),
                                "that of the whole filter is " + std::to_string(options.seed));
      return nullptr;
    }
    auto state = sets::BloomState::Read(source, header, error);
    if (state == nullptr) return nullptr;
    filter->stages_.push_back(BloomFilter(std::move(state)));
    offset = header.end();
  }
  return sets::EndsAt(source, offset, error) ? std::move(filter) : nullptr;
}

}  // namespace bloomline
