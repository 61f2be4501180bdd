// Decoders are total: any bytes, and valid filters with any damage, are safe to open and to query,
// and every kernel gives the same answers. A filter that is still valid loses no key.
#include <array>

#include "bloomline/cpu.h"
#include "bloomline/filter.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/container/leveldb_codes.h"
#include "src/filter/container/trailer.h"
#include "src/filter/options/formats.h"
#include "src/filter/stock/ribbon.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/writer/filter_writer.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/finished_filter.h"
#include "tests/support/leveldb_filter.h"
#include "tests/support/payload_query.h"

namespace bloomline::fuzz {
namespace {

using filter::Layout;
using filter::Payload;
using kernels::Kernel;

enum Container : size_t { kStandalone, kLevelDB };

// The keys to query: short ones, of which the first num_present are stored, and perhaps one of any
// kind.
class Queries {
 public:
  static constexpr size_t kMost = 80;  // more than two groups of a batch

  void AddNumber(uint64_t number) {
    char* key = numbers_[num_keys_];
    for (size_t i = kNumberBytes; i-- > 0; number >>= 8) key[i] = static_cast<char>(number & 0xFF);
    views_[num_keys_++] = {key, kNumberBytes};
  }
  void AddOther(Key key) {
    other_ = std::move(key);
    views_[num_keys_++] = View(other_);
  }

  size_t size() const { return num_keys_; }
  const std::string_view* views() const { return views_; }
  size_t num_present = 0;

 private:
  static constexpr size_t kNumberBytes = 8;
  char numbers_[kMost][kNumberBytes];
  Key other_;
  std::string_view views_[kMost + 1];
  size_t num_keys_ = 0;
};

bool IsBetween(uint64_t value, uint64_t min, uint64_t max) { return min <= value && value <= max; }

// The guarantees of a payload to kernels (format.h, kernel.h).
void RequireSafe(const Payload& payload, std::string_view bytes) {
  if (payload.always_matches() || payload.payload_bytes() == 0) return;
  Require(payload.data >= bytes.data() && payload.payload_bytes() <= bytes.size() &&
              payload.data + payload.payload_bytes() <= bytes.data() + bytes.size(),
          "a payload lies within the bytes");
  Require(payload.num_blocks * payload.block_bytes == payload.payload_bytes(),
          "a payload is whole blocks");
  const uint64_t block_bytes = payload.block_bytes;
  const bool probes_fit = filter::ProbesInRange(payload.num_probes);
  bool fits = false;
  switch (payload.layout) {
    case Layout::kClassic:  // in LevelDB only
    case Layout::kFlat:
      fits = block_bytes == 1 && probes_fit;
      break;
    case Layout::kBlocked:
      fits = block_bytes == kernels::kBlockBytes && probes_fit;
      break;
    case Layout::kRibbon:
      fits = block_bytes == stock::RibbonShape::kSegmentBytes &&
             IsBetween(payload.row_blocks, 2, (1 << 24) - 1) &&
             payload.num_blocks <= uint64_t{payload.row_blocks} * stock::RibbonShape::kMaxColumns;
      break;
    case Layout::kSmallSet:
      fits =
          IsBetween(block_bytes, filter::kMinSmallSetBlockBytes, filter::kMaxSmallSetBlockBytes) &&
          IsBetween(payload.num_blocks, 1, filter::kMaxSmallSetBlocks) &&
          payload.attempt % 4 == 0 && payload.attempt <= 12;
      break;
    default:  // no other layout has a decoder that is called here
      break;
  }
  Require(fits, "parameters and block size fit the layout");
}

// Every kernel gives the answers of the portable one, and so does a filter that it opened, to
// single queries and batches. Fills expected[].
void Ask(const Payload& payload, const Queries& queries, bool* expected) {
  const size_t n = queries.size();
  uint64_t* hashes = GuardedArray<uint64_t>(n);
  for (size_t i = 0; i < n; ++i) {
    hashes[i] = filter::LayoutHash(payload.layout, queries.views()[i], payload.seed);
    expected[i] = tests::PayloadMayMatch(payload, Portable(), hashes[i]);
    Require(expected[i] || i >= queries.num_present, "a key that was added matches");
  }
  bool* answers = GuardedArray<bool>(n);
  for (const Kernel* kernel : SupportedKernels()) {
    for (size_t i = 0; i < n; ++i) {
      Require(tests::PayloadMayMatch(payload, *kernel, hashes[i]) == expected[i],
              "single query as portable", kernel->name);
    }
    if (payload.layout == Layout::kClassic || payload.layout == Layout::kSmallSet) continue;
    const filter::OpenFilter opened = filter::Opened(payload, *kernel);
    opened.may_match_many(opened, n, hashes, answers);
    for (size_t i = 0; i < n; ++i) {
      Require(opened.may_match(opened, hashes[i]) == expected[i], "opened filter as portable",
              kernel->name);
      Require(answers[i] == expected[i], "batched query as portable", kernel->name);
    }
  }
}

Payload CheckStandalone(std::string_view bytes, const Queries& queries, const Kernel& kernel) {
  std::string why;
  const Payload payload = filter::DecodeTrailer(bytes, &why);
  Require(payload.layout != Layout::kClassic && payload.layout != Layout::kSmallSet,
          "classic and small sets are in LevelDB only");
  Require(why.empty() == !payload.always_matches(), "what is refused has a reason");
  RequireSafe(payload, bytes);
  bool expected[Queries::kMost + 1];
  Ask(payload, queries, expected);
  Require(ForceKernel(kernel.name, nullptr), "a supported kernel can be forced", kernel.name);
  const FilterView view = FilterView::Open(bytes);
  Require(view.AlwaysMatches() == payload.always_matches(),
          "a view understands what the decoder does");
  Require(view.num_probes() >= 0 && view.num_probes() <= kMaxProbes, "probes are in range");
  const size_t n = queries.size();
  bool* answers = GuardedArray<bool>(n);
  view.MayMatch(n, queries.views(), answers);
  for (size_t i = 0; i < n; ++i) {
    Require(view.MayMatch(queries.views()[i]) == expected[i], "a view answers as its payload",
            kernel.name);
    Require(answers[i] == expected[i], "a view answers batches as its payload", kernel.name);
  }
  uint64_t* hashes = GuardedArray<uint64_t>(n);
  for (size_t i = 0; i < n; ++i) hashes[i] = view.HashOf(queries.views()[i]);
  view.MayMatchHashes(n, hashes, answers);
  for (size_t i = 0; i < n; ++i) {
    Require(view.MayMatchHash(hashes[i]) == expected[i], "a view answers a hash as its key",
            kernel.name);
    Require(answers[i] == expected[i], "a view answers hashes as their keys", kernel.name);
  }
  return payload;
}

Payload CheckLevelDB(std::string_view bytes, const Queries& queries) {
  const Payload payload = filter::DecodeLevelDB(bytes);
  RequireSafe(payload, bytes);
  bool expected[Queries::kMost + 1];
  Ask(payload, queries, expected);
  return payload;
}

// A filter as a writer made it, of the keys 0 to num_keys - 1.
struct Written {
  std::string bytes;
  uint64_t num_keys;
};

Written Write(Container container, const FilterOptions& options, uint64_t num_keys) {
  if (container == kStandalone) {
    FilterBuilder builder(options);
    for (uint64_t i = 0; i < num_keys; ++i) builder.AddKey(View(BigEndianKey(i)));
    return {builder.Finish(), num_keys};
  }
  std::vector<Key> keys;
  for (uint64_t i = 0; i < num_keys; ++i) keys.push_back(BigEndianKey(i));
  std::vector<std::string_view> views;
  for (const Key& key : keys) views.push_back(View(key));
  return {tests::LevelDBFilter(options, views), num_keys};
}

// Filters of each layout and many sizes, written once: writing one takes longer than all tests of
// it.
const std::vector<Written>& AllWritten(Container container) {
  static const auto all = [] {
    std::array<std::vector<Written>, 2> lists;
    for (const Container kind : {kStandalone, kLevelDB}) {
      for (const filter::FormatRow& row : filter::kFormats) {
        if (!(kind == kStandalone ? row.is_static : row.in_leveldb)) continue;
        for (const double bits : {1.0, 3.5, 5.0, 6.0, 7.05, 10.0, 16.0, 24.0, 44.0, 100.0}) {
          FilterOptions options{row.format, bits};
          if (!options.Validate().empty()) continue;
          // More than kMaxFlatKeys make another layout in LevelDB.
          for (const uint64_t num_keys : {1u, 2u, 9u, 40u, 150u, 600u}) {
            // LevelDB's filters do not record their seed.
            options.seed = kind == kStandalone && num_keys == 9 ? 77 : 0;
            lists[kind].push_back(Write(kind, options, num_keys));
          }
        }
      }
    }
    lists[0].push_back(Write(kStandalone, FilterOptions(), 0));
    for (const uint64_t num_keys : {0u, 1u, 40u, 600u}) {
      filter::FilterWriter writer((FilterOptions()));
      for (uint64_t i = 0; i < num_keys; ++i) writer.AddKey(View(BigEndianKey(i)));
      lists[0].push_back({tests::FinishedFilter(&writer, filter::SSTableShape), num_keys});
    }
    return lists;
  }();
  return all[container];
}

// A field more in the extension, which a reader skips if the tag is 128 or above.
std::string WithField(std::string filter, uint8_t tag, const std::string& content) {
  char& extension_bytes = filter[filter.size() - filter::kTrailerBytes + 14];
  const std::string field =
      std::string{static_cast<char>(tag), static_cast<char>(content.size())} + content;
  extension_bytes = static_cast<char>(extension_bytes + static_cast<char>(field.size()));
  return filter.insert(filter.size() - filter::kTrailerBytes, field);
}

// A filter in the trailer container records its length: cut at the front, it loses no key. Half of
// the cuts leave little more than the trailer. Returns true if it was cut.
bool CutFront(FuzzedDataProvider* input, std::string* bytes) {
  const auto chance = input->ConsumeIntegralInRange<int>(0, 3);
  if (chance < 2) return false;
  const size_t most = chance == 2 ? bytes->size() : filter::kTrailerBytes + 64;
  const auto left = input->ConsumeIntegralInRange<size_t>(0, most);
  if (left < bytes->size()) bytes->erase(0, bytes->size() - left);
  return true;
}

// Changes fields of the trailer, and sets the number of units to match the length, also where the
// extension leaves no bytes for any: the decoder's other checks must then suffice.
void ChangeFields(FuzzedDataProvider* input, std::string* bytes) {
  // docs/format.md, section 5.
  constexpr size_t kUnits = 8, kLayout = 12, kParameter = 13, kExtension = 14, kVersion = 19;
  if (bytes->size() < filter::kTrailerBytes) return;
  char* trailer = &(*bytes)[bytes->size() - filter::kTrailerBytes];
  if (input->ConsumeBool()) trailer[kLayout] = input->ConsumeIntegralInRange<char>(0, 5);
  if (input->ConsumeBool()) trailer[kParameter] = input->ConsumeIntegral<char>();
  if (input->ConsumeBool()) trailer[kExtension] = input->ConsumeIntegralInRange<char>(0, 70);
  if (input->ConsumeBool()) trailer[kVersion] = input->ConsumeIntegralInRange<char>(0, 2);
  const Layout layout{static_cast<unsigned char>(trailer[kLayout])};
  const auto parameter = static_cast<unsigned char>(trailer[kParameter]);
  const filter::LayoutRow& row = filter::LayoutRowFor(layout);
  const uint64_t unit =
      row.trailer_shape != nullptr && IsBetween(parameter, row.min_parameter, row.max_parameter)
          ? row.trailer_shape(parameter).block_bytes
          : 1;
  const size_t end_bytes = filter::kTrailerBytes + static_cast<unsigned char>(trailer[kExtension]);
  const uint64_t num_units = (bytes->size() - end_bytes) / unit;
  for (size_t i = 0; i < 4; ++i) {
    trailer[kUnits + i] = static_cast<char>(num_units >> 8 * i & 0xFF);
  }
}

// Returns true if stored keys may be lost now.
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
      // The extension, too.
      const size_t last = std::min(size, kind == kTrailer ? filter::kTrailerBytes + 70 : size);
      const size_t place = size - input->ConsumeIntegralInRange<size_t>(1, last);
      (*bytes)[place] = input->ConsumeIntegral<char>();
    }
  }
  return damaged;
}

void FuzzAnyBytes(FuzzedDataProvider* input, const Place& place, const Kernel& kernel) {
  Queries queries;
  const auto first = input->ConsumeIntegral<uint64_t>();
  const size_t num_queries = ConsumeCount(input, 4, Queries::kMost);
  for (uint64_t i = 0; i < num_queries; ++i) queries.AddNumber(first + i);
  Placed placed(input->ConsumeRemainingBytesAsString(), place);
  CheckStandalone(placed.view(), queries, kernel);
  CheckLevelDB(placed.view(), queries);
}

void FuzzDamaged(FuzzedDataProvider* input, Container container, const Place& place,
                 const Kernel& kernel) {
  const std::vector<Written>& all = AllWritten(container);
  const Written& written = all[input->ConsumeIntegralInRange<size_t>(0, all.size() - 1)];
  Queries queries;
  // From some key of the filter to beyond the last one.
  const auto first = input->ConsumeIntegralInRange<uint64_t>(0, written.num_keys);
  const size_t num_queries = ConsumeCount(input, 4, Queries::kMost);
  for (uint64_t i = 0; i < num_queries; ++i) queries.AddNumber(first + i);
  std::string bytes = written.bytes;
  bool cut = false;
  if (container == kStandalone) {
    if (input->ConsumeBool()) {
      bytes = WithField(std::move(bytes), input->ConsumeIntegralInRange<uint8_t>(128, 255),
                        ConsumeContent(input, input->ConsumeIntegralInRange<size_t>(0, 63)));
    }
    cut = CutFront(input, &bytes);
  }
  const bool damaged = Damage(input, &bytes);
  if (!damaged) queries.num_present = std::min<size_t>(num_queries, written.num_keys - first);
  queries.AddOther(ConsumeKey(input));
  Placed placed(bytes, place);
  const Payload payload = container == kStandalone ? CheckStandalone(placed.view(), queries, kernel)
                                                   : CheckLevelDB(placed.view(), queries);
  Require(cut || damaged || !payload.always_matches(), "a filter as it was written is understood");
}

}  // namespace
}  // namespace bloomline::fuzz

// Writes them before the first input, so that their coverage is not counted for it.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  bloomline::fuzz::AllWritten(bloomline::fuzz::kStandalone);
  return 0;
}

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
    FuzzDamaged(&input, mode == 1 ? kStandalone : kLevelDB, place, kernel);
  }
  return 0;
}
