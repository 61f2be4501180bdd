// Decoders are total: any bytes, and valid filters damaged in any way, are safe to open and to
// query, with the same answers from every kernel. What is still a valid filter loses no key.
#include "bloomline/cpu.h"
#include "bloomline/filter.h"
#include "src/core/format.h"
#include "src/core/payload.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/leveldb_filter.h"

namespace bloomline::fuzz {
namespace {

using core::Layout;
using core::Payload;
using kernels::Kernel;

enum class Container { kStandalone, kLevelDB };

// Keys that are asked, the first num_present of which are in the filter.
struct Keys {
  std::vector<Key> keys;
  std::vector<std::string_view> views;
  size_t num_present = 0;

  void Add(Key key) {
    keys.push_back(std::move(key));
    views.push_back(View(keys.back()));  // the bytes stay where they are when `keys` grows
  }
};

// Neighbours, as in most stores, and some keys of any kind.
Keys ConsumeKeys(FuzzedDataProvider* input, size_t max_neighbours) {
  Keys keys;
  const auto first = input->ConsumeIntegral<uint64_t>();
  const auto num_neighbours = input->ConsumeIntegralInRange<size_t>(1, max_neighbours);
  for (uint64_t i = 0; i < num_neighbours; ++i) keys.Add(BigEndianKey(first + i));
  const auto num_others = input->ConsumeIntegralInRange<size_t>(0, 5);
  for (size_t i = 0; i < num_others; ++i) keys.Add(ConsumeKey(input));
  return keys;
}

bool IsBetween(uint64_t value, uint64_t min, uint64_t max) { return min <= value && value <= max; }

// What a payload promises to kernels (format.h, kernel.h).
void RequireSafe(const Payload& payload, std::string_view bytes) {
  if (payload.layout == Layout::kAlwaysMatch || payload.num_bytes == 0) return;
  Require(payload.data >= bytes.data() && payload.num_bytes <= bytes.size() &&
              payload.data + payload.num_bytes <= bytes.data() + bytes.size(),
          "a payload lies within the bytes");
  Require(payload.num_lines * payload.line_bytes == payload.num_bytes, "a payload is whole lines");
  const uint64_t parameter = payload.parameter;
  const uint64_t line_bytes = payload.line_bytes;
  bool fits = false;
  switch (payload.layout) {
    case Layout::kClassic:
    case Layout::kFlat:
      fits = line_bytes == 1 && IsBetween(parameter, kMinProbes, kMaxProbes);
      break;
    case Layout::kBlocked:
      fits = line_bytes == kernels::kLineBytes && IsBetween(parameter, kMinProbes, kMaxProbes);
      break;
    case Layout::kCompact:
      fits = IsBetween(line_bytes, core::kMinCompactLineBytes, kernels::kLineBytes) &&
             IsBetween(parameter, 1, core::kMaxBaseSlots);
      break;
    case Layout::kCompactLanes:
      fits = line_bytes == kernels::kLineBytes &&
             IsBetween(parameter, core::kMinLanesBaseSlots, core::kMaxLanesBaseSlots);
      break;
    case Layout::kCompactHalfLines:  // in memory this is kCompact
    case Layout::kAlwaysMatch:
      break;
  }
  Require(fits, "parameter and line size fit the layout");
}

// Every kernel answers as the portable one, single and batched. Returns the answers.
std::vector<bool> Ask(const Payload& payload, const Keys& keys) {
  const size_t n = keys.views.size();
  std::vector<uint64_t> hashes;
  for (const std::string_view key : keys.views) {
    hashes.push_back(core::LayoutHash(payload.layout, key, payload.seed));
  }
  std::vector<bool> expected;
  for (const uint64_t hash : hashes) {
    expected.push_back(core::HashMayMatch(payload, Portable(), hash));
  }
  const std::unique_ptr<bool[]> answers(new bool[n]);
  for (const Kernel* kernel : SupportedKernels()) {
    core::HashesMayMatch(payload, *kernel, n, hashes.data(), answers.get());
    for (size_t i = 0; i < n; ++i) {
      Require(core::HashMayMatch(payload, *kernel, hashes[i]) == expected[i],
              "single query as portable", kernel->name);
      Require(answers[i] == expected[i], "batched query as portable", kernel->name);
    }
  }
  for (size_t i = 0; i < keys.num_present; ++i)
    Require(expected[i], "a key that was added matches");
  return expected;
}

Payload CheckStandalone(std::string_view bytes, const Keys& keys, const Kernel& kernel) {
  std::string why;
  const Payload payload = core::DecodeStandalone(bytes, &why);
  Require(why.empty() == (payload.layout != Layout::kAlwaysMatch), "what is refused has a reason");
  RequireSafe(payload, bytes);
  const std::vector<bool> expected = Ask(payload, keys);
  Require(ForceKernel(kernel.name, nullptr), "a supported kernel can be forced", kernel.name);
  const FilterView view = FilterView::Open(bytes);
  Require(view.AlwaysMatches() == (payload.layout == Layout::kAlwaysMatch),
          "a view understands what the decoder does");
  Require(view.num_probes() >= 0 && view.num_probes() <= kMaxProbes, "probes are in range");
  const size_t n = keys.views.size();
  const std::unique_ptr<bool[]> answers(new bool[n]);
  view.MayMatch(n, keys.views.data(), answers.get());
  for (size_t i = 0; i < n; ++i) {
    Require(view.MayMatch(keys.views[i]) == expected[i], "a view answers as its payload",
            kernel.name);
    Require(answers[i] == expected[i], "a view answers batches as its payload", kernel.name);
  }
  return payload;
}

Payload CheckLevelDB(std::string_view bytes, const Keys& keys) {
  const Payload payload = core::DecodeLevelDB(bytes);
  RequireSafe(payload, bytes);
  Ask(payload, keys);
  return payload;
}

std::string StandaloneFilter(const FilterOptions& options, const Keys& keys) {
  FilterBuilder builder(options);
  for (const std::string_view key : keys.views) builder.AddKey(key);
  return builder.Finish();
}

// A reader must follow the trailer to wherever a writer put the payload.
std::string Padded(std::string filter, const std::string& padding) {
  constexpr size_t kPaddingFromEnd = 6;
  filter[filter.size() - kPaddingFromEnd] = static_cast<char>(padding.size());
  return padding + filter;
}

// A filter in the trailer container knows its length: cut at the front, it loses no key. Half of
// the cuts leave little but the trailer. True: it was cut.
bool CutFront(FuzzedDataProvider* input, std::string* bytes) {
  const auto chance = input->ConsumeIntegralInRange<int>(0, 3);
  if (chance < 2) return false;
  const size_t most = chance == 2 ? bytes->size() : core::kTrailerBytes + 64;
  const auto left = input->ConsumeIntegralInRange<size_t>(0, most);
  if (left < bytes->size()) bytes->erase(0, bytes->size() - left);
  return true;
}

// Other fields in the trailer, and the number of units that they would have in so many bytes, also
// where padding leaves no room for any: the decoder's other checks must then do without this one.
void ChangeFields(FuzzedDataProvider* input, std::string* bytes) {
  // docs/format.md, section 5.
  constexpr size_t kUnits = 8, kLayout = 12, kParameter = 13, kPadding = 14;
  if (bytes->size() < core::kTrailerBytes) return;
  char* trailer = &(*bytes)[bytes->size() - core::kTrailerBytes];
  if (input->ConsumeBool()) trailer[kLayout] = input->ConsumeIntegralInRange<char>(0, 6);
  if (input->ConsumeBool()) trailer[kParameter] = input->ConsumeIntegral<char>();
  if (input->ConsumeBool()) trailer[kPadding] = input->ConsumeIntegralInRange<char>(0, 70);
  const Layout layout{static_cast<unsigned char>(trailer[kLayout])};
  const uint64_t unit = layout == Layout::kCompactHalfLines                     ? 32
                        : layout == Layout::kBlocked || core::IsCompact(layout) ? 64
                                                                                : 1;
  const auto padding = static_cast<unsigned char>(trailer[kPadding]);
  const uint64_t num_units = (bytes->size() - core::kTrailerBytes - padding) / unit;
  for (size_t i = 0; i < 4; ++i) {
    trailer[kUnits + i] = static_cast<char>(num_units >> 8 * i & 0xFF);
  }
}

// True: present keys may be lost now.
bool Damage(FuzzedDataProvider* input, std::string* bytes) {
  enum Kind : uint8_t {
    kNone,
    kTrailer,
    kFields,
    kAnywhere,
    kCutEnd,
    kAppend,
    kMaxValue = kAppend
  };
  bool damaged = false;
  while (input->remaining_bytes() > 0 && !bytes->empty()) {
    const auto kind = input->ConsumeEnum<Kind>();
    if (kind == kNone) break;
    damaged = true;
    const size_t size = bytes->size();
    if (kind == kFields) {
      ChangeFields(input, bytes);
    } else if (kind == kCutEnd) {
      bytes->resize(input->ConsumeIntegralInRange<size_t>(0, size));
    } else if (kind == kAppend) {
      bytes->append(input->ConsumeBytesAsString(input->ConsumeIntegralInRange<size_t>(0, 40)));
    } else {
      const size_t last = std::min(size, kind == kTrailer ? core::kTrailerBytes : size);
      const size_t place = size - input->ConsumeIntegralInRange<size_t>(1, last);
      (*bytes)[place] = input->ConsumeIntegral<char>();
    }
  }
  return damaged;
}

void FuzzAnyBytes(FuzzedDataProvider* input, const Place& place, const Kernel& kernel) {
  const Keys keys = ConsumeKeys(input, 100);
  Placed placed(input->ConsumeRemainingBytesAsString(), place);
  CheckStandalone(placed.view(), keys, kernel);
  CheckLevelDB(placed.view(), keys);
}

void FuzzDamaged(FuzzedDataProvider* input, Container container, const Place& place,
                 const Kernel& kernel) {
  const FilterOptions options = ConsumeOptions(input);
  // More than kMaxFlatKeys make another layout in LevelDB.
  Keys keys = ConsumeKeys(input, container == Container::kStandalone ? 200 : 600);
  std::string bytes =
      container == Container::kStandalone
          ? Padded(StandaloneFilter(options, keys),
                   ConsumeContent(input, input->ConsumeIntegralInRange<size_t>(0, 63)))
          : tests::LevelDBFilter(options, keys.views);
  const bool cut = container == Container::kStandalone && CutFront(input, &bytes);
  const bool damaged = Damage(input, &bytes);
  keys.num_present = damaged ? 0 : keys.views.size();
  keys.Add(ConsumeKey(input));
  Placed placed(bytes, place);
  const Payload payload = container == Container::kStandalone
                              ? CheckStandalone(placed.view(), keys, kernel)
                              : CheckLevelDB(placed.view(), keys);
  Require(cut || damaged || payload.layout != Layout::kAlwaysMatch,
          "a filter as it was written is understood");
}

}  // namespace
}  // namespace bloomline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bloomline::fuzz;
  FuzzedDataProvider input(data, size);
  const auto mode = input.ConsumeIntegralInRange<int>(0, 2);
  const Place place = ConsumePlace(&input);
  const size_t last_kernel = SupportedKernels().size() - 1;
  const auto& kernel = *SupportedKernels()[input.ConsumeIntegralInRange<size_t>(0, last_kernel)];
  if (mode == 0) {
    FuzzAnyBytes(&input, place, kernel);
  } else {
    FuzzDamaged(&input, mode == 1 ? Container::kStandalone : Container::kLevelDB, place, kernel);
  }
  return 0;
}
