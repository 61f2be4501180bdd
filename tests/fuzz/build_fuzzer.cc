// FilterBuilder through any sequence of its functions: every key that was added matches, and the
// bytes depend on the keys alone, not on the kernel or on how they were asked for.
#include <limits>

#include "bloomline/cpu.h"
#include "bloomline/filter.h"
#include "tests/fuzz/fuzz_input.h"

namespace bloomline::fuzz {
namespace {

constexpr size_t kMaxKeys = 1500;

// How the same calls are carried out.
struct Execution {
  const kernels::Kernel& kernel;
  bool to_callers_memory;
};

// A builder and what it must hold.
class CheckedBuilder {
 public:
  explicit CheckedBuilder(const FilterOptions& options) : options_(options), builder_(options) {
    Require(builder_.error() == options.Validate(), "invalid options are told at once");
  }

  void AddKey(const Key& key) {
    builder_.AddKey(View(key));
    keys_.push_back(key);
    RequireNewFilter();
  }

  void AddKeyAndPrefix(const Key& key, const Key& prefix) {
    builder_.AddKeyAndPrefix(View(key), View(prefix));
    keys_.push_back(prefix);
    keys_.push_back(key);
    RequireNewFilter();
  }

  void TakeKeysFrom(CheckedBuilder* other) {
    const bool alike =
        options_.format == other->options_.format && options_.seed == other->options_.seed;
    Require(builder_.TakeKeysFrom(&other->builder_) == alike,
            "keys can be taken if format and seed are the same");
    if (!alike || other == this) return;
    is_finished_ = false;
    keys_.insert(keys_.end(), other->keys_.begin(), other->keys_.end());
    other->keys_.clear();
  }

  size_t num_keys() const { return keys_.size(); }
  const Key& key(size_t i) const { return keys_[i]; }

  // Finishes and checks; the builder is then empty.
  std::string Finish(const Execution& execution, const Place& place) {
    Require((builder_.num_keys() == 0) == keys_.empty(), "a builder without keys says so");
    Require(builder_.num_keys() <= keys_.size(), "no more entries than keys");
    const uint64_t num_bytes = builder_.FinishedBytes();
    std::string bytes;
    if (execution.to_callers_memory) {
      Placed placed(std::string(num_bytes, '\x5A'), place);
      builder_.FinishTo(placed.data());
      bytes = placed.view();
    } else {
      bytes = builder_.Finish();
    }
    Require(bytes.size() == num_bytes, "FinishedBytes is what Finish returns");
    const bool matches_all = !builder_.error().empty();
    CheckKeys(bytes, place, matches_all);
    Require(builder_.num_keys() == 0, "a finished builder is empty");
    keys_.clear();
    is_finished_ = true;
    return bytes;
  }

 private:
  // The first key after Finish ends what was wrong with the last filter, but not what is with the
  // options.
  void RequireNewFilter() {
    Require(!is_finished_ || builder_.error() == options_.Validate(),
            "of a finished filter's errors only invalid options stay");
    is_finished_ = false;
  }

  void CheckKeys(const std::string& bytes, const Place& place, bool matches_all) const {
    Placed placed(bytes, place);
    const FilterView view = FilterView::Open(placed.view());
    Require(view.AlwaysMatches() == matches_all, "a filter filters unless error() says why not");
    for (const Key& key : keys_) Require(view.MayMatch(View(key)), "a key that was added matches");
    std::vector<std::string_view> views;
    for (const Key& key : keys_) views.push_back(View(key));
    const std::unique_ptr<bool[]> answers(new bool[views.size()]);
    view.MayMatch(views.size(), views.data(), answers.get());
    Require(std::all_of(answers.get(), answers.get() + views.size(), [](bool b) { return b; }),
            "a key that was added matches in a batch");
    if (keys_.empty()) Require(view.MayMatch("any") == matches_all, "no keys match nothing");
  }

  const FilterOptions options_;
  FilterBuilder builder_;
  std::vector<Key> keys_;
  bool is_finished_ = false;
};

FilterOptions ConsumeAnyOptions(FuzzedDataProvider* input) {
  FilterOptions options = ConsumeOptions(input);
  const double unusual[] = {0,
                            -1,
                            2.999,
                            24.001,
                            100.001,
                            1e300,
                            std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()};
  if (input->ConsumeIntegralInRange<int>(0, 15) == 15) {
    options.bits_per_key = input->PickValueInArray(unusual);
  }
  if (input->ConsumeIntegralInRange<int>(0, 31) == 31) options.format = Format{7};
  return options;
}

void AddNeighbours(FuzzedDataProvider* input, size_t max, CheckedBuilder* builder) {
  const auto first = input->ConsumeIntegral<uint64_t>();
  const size_t count = ConsumeCount(input, 30, 600);
  for (uint64_t i = 0; i < std::min(count, max); ++i) builder->AddKey(BigEndianKey(first + i));
}

// The calls that the input stands for. Returns the filters they made.
std::vector<std::string> Run(const uint8_t* data, size_t size, const Execution& execution) {
  FuzzedDataProvider input(data, size);
  Require(ForceKernel(execution.kernel.name, nullptr), "a supported kernel can be forced");
  enum Call : uint8_t {
    kAddKey,
    kAddKeyAndPrefix,
    kAddKeyWithItsPrefix,
    kAddAgain,
    kAddNeighbours,
    kTakeKeys,
    kFinish,
    kMaxValue = kFinish
  };
  const FilterOptions options = ConsumeAnyOptions(&input);
  FilterOptions half = options;
  half.bits_per_key /= 2;
  // Two that may exchange keys, in spite of another size; one that most often may not.
  CheckedBuilder builders[] = {CheckedBuilder(options), CheckedBuilder(half),
                               CheckedBuilder(ConsumeAnyOptions(&input))};
  constexpr size_t kLastBuilder = 2;
  std::vector<std::string> filters;
  const size_t max_keys = ConsumeCount(&input, 60, kMaxKeys);
  size_t num_keys = 0;
  while (input.remaining_bytes() > 0 && num_keys < max_keys) {
    const auto call = input.ConsumeEnum<Call>();
    CheckedBuilder& builder = builders[input.ConsumeIntegralInRange<size_t>(0, kLastBuilder)];
    const size_t before = builder.num_keys();
    switch (call) {
      case kAddKey:
        builder.AddKey(ConsumeKey(&input));
        break;
      case kAddKeyAndPrefix: {
        const Key prefix = ConsumeKey(&input);
        builder.AddKeyAndPrefix(ConsumeKey(&input), prefix);
        break;
      }
      case kAddKeyWithItsPrefix: {
        const Key key = ConsumeKey(&input);
        const auto length = input.ConsumeIntegralInRange<size_t>(0, key.size());
        builder.AddKeyAndPrefix(key, Key(key.begin(), key.begin() + static_cast<long>(length)));
        break;
      }
      case kAddAgain:
        if (before != 0) {
          const auto i = input.ConsumeIntegralInRange<size_t>(0, before - 1);
          const Key key = builder.key(i);
          input.ConsumeBool() ? builder.AddKey(key) : builder.AddKeyAndPrefix(key, key);
        }
        break;
      case kAddNeighbours:
        AddNeighbours(&input, max_keys - num_keys, &builder);
        break;
      case kTakeKeys:
        builder.TakeKeysFrom(&builders[input.ConsumeIntegralInRange<size_t>(0, kLastBuilder)]);
        continue;
      case kFinish:
        filters.push_back(builder.Finish(execution, ConsumePlace(&input)));
        continue;
    }
    num_keys += builder.num_keys() - before;
  }
  const Place place = ConsumePlace(&input);
  for (CheckedBuilder& builder : builders) filters.push_back(builder.Finish(execution, place));
  return filters;
}

}  // namespace
}  // namespace bloomline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bloomline::fuzz;
  FuzzedDataProvider input(data, size);
  const size_t last_kernel = SupportedKernels().size() - 1;
  const auto& kernel = *SupportedKernels()[input.ConsumeIntegralInRange<size_t>(0, last_kernel)];
  size = input.remaining_bytes();  // numbers come from the end
  const std::vector<std::string> expected = Run(data, size, {Portable(), false});
  Require(Run(data, size, {kernel, true}) == expected, "the bytes depend on the keys alone",
          kernel.name);
  return 0;
}
