// Range entries: a range that holds a key matches, with every kernel, whatever the keys, the
// kinds of entries and the bounds are. A damaged field crashes nothing and loses no key.
#include <set>

#include "src/filter/container/trailer.h"
#include "src/filter/layouts/hash_query.h"
#include "src/filter/ranges/range_entries.h"
#include "src/filter/ranges/range_query.h"
#include "src/filter/writer/filter_writer.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/finished_filter.h"

namespace bloomline::fuzz {
namespace {

using filter::EntryKinds;
using filter::RangeField;

EntryKinds ConsumePrefixes(FuzzedDataProvider* input) {
  EntryKinds kinds;
  std::set<uint16_t> lengths;
  const auto num_lengths = input->ConsumeIntegralInRange<size_t>(0, filter::kMaxCellLengths);
  for (size_t i = 0; i < num_lengths; ++i) {
    // Most keys are short.
    const uint16_t most = input->ConsumeBool() ? filter::kMaxCellBits : 40;
    lengths.insert(input->ConsumeIntegralInRange<uint16_t>(1, most));
  }
  for (const uint16_t bits : lengths) kinds.cell_bits[kinds.num_cell_lengths++] = bits;
  constexpr unsigned char kDelimiters[] = {0, '/', 0xfe, 0xff};
  const auto num_delimiters = input->ConsumeIntegralInRange<uint8_t>(0, filter::kMaxDelimiters);
  for (; kinds.num_delimiters < num_delimiters; ++kinds.num_delimiters) {
    kinds.delimiters[kinds.num_delimiters] = {input->PickValueInArray(kDelimiters),
                                              input->ConsumeIntegralInRange<uint8_t>(1, 255)};
  }
  return kinds;
}

filter::RangeEntries ConsumeEntries(FuzzedDataProvider* input) {
  if (!input->ConsumeBool()) return filter::RangeEntries(ConsumePrefixes(input));
  return filter::RangeEntries(input->ConsumeIntegralInRange<int>(1, 8000) / 1000.0);
}

// A key, or a bound, beside another one.
std::string ConsumeKeyNear(FuzzedDataProvider* input, std::string key) {
  enum Kind : uint8_t {
    kSame,
    kBeginning,
    kOtherEnd,
    kNext,
    kZeros,
    kOnes,
    kDelimiter,
    kLong,
    kMaxValue = kLong
  };
  const auto up_to = [&](size_t n) { return input->ConsumeIntegralInRange<size_t>(0, n); };
  const auto kind = input->ConsumeEnum<Kind>();
  if (kind == kBeginning || kind == kOtherEnd) key.resize(up_to(key.size()));
  if (kind == kOtherEnd) key += input->ConsumeBytesAsString(up_to(4));
  if (kind == kNext && !key.empty()) key.back() = static_cast<char>(key.back() + 1);
  if (kind == kZeros) key.append(up_to(3), '\0');
  if (kind == kOnes) key.append(up_to(3), '\xff');
  if (kind == kDelimiter) key += '/';
  if (kind == kLong) key.resize(up_to(kMaxKeyBytes), input->ConsumeIntegral<char>());
  return key;
}

std::set<std::string> ConsumeKeys(FuzzedDataProvider* input) {
  std::set<std::string> keys;
  std::string key;
  const size_t num_keys = ConsumeCount(input, 20, 200);
  const auto length = input->ConsumeIntegralInRange<size_t>(0, 16);  // of all keys, if above 0
  for (size_t i = 0; i < num_keys && input->remaining_bytes() > 0; ++i) {
    key = ConsumeKeyNear(input, key);
    if (length > 0) key.resize(length);
    keys.insert(key);
  }
  // Long keys, so many that kinds of entries become too costly and are forgotten.
  if (input->ConsumeIntegralInRange<int>(0, 63) == 63) {
    key.resize(filter::kMaxCellBytes);
    const auto first = input->ConsumeIntegral<uint64_t>();
    const int shift = input->ConsumeIntegralInRange<int>(0, 48);
    for (uint64_t i = 0; i < 1200; ++i) {
      const Key number = BigEndianKey((first + i) << shift);
      keys.insert(keys.end(), std::string(View(number)) + key);
    }
  }
  return keys;
}

struct Written {
  std::set<std::string> keys;
  bool is_partition;
  std::string bytes;
};

Written Write(FuzzedDataProvider* input) {
  FilterOptions options = ConsumeOptions(input);
  options.bits_per_key = 14;  // false positives would hide what is wrong
  filter::FilterWriter writer(options);
  filter::RangeEntries entries = ConsumeEntries(input);
  Written written;
  // The second filter does not remember the first one.
  for (int n = input->ConsumeBool() ? 2 : 1; n > 0; --n) {
    written.keys = ConsumeKeys(input);
    written.is_partition = input->ConsumeBool();
    const auto add = [&](const std::string& key) {
      entries.Add(key, &writer);
      writer.AddKey(key);
    };
    add("");
    // Another order gives no entries.
    if (input->ConsumeIntegralInRange<int>(0, 15) == 15) {
      std::for_each(written.keys.rbegin(), written.keys.rend(), add);
    } else {
      std::for_each(written.keys.begin(), written.keys.end(), add);
    }
    entries.Finish(written.is_partition, &writer);
    written.bytes = tests::FinishedFilter(&writer);
  }
  return written;
}

bool RangeMatches(const filter::Payload& payload, const RangeField& field, const std::string& begin,
                  const std::string& end) {
  const auto ask = [&](const kernels::Kernel& kernel) {
    return filter::RangeMayMatch(filter::Opened(payload, kernel), payload.seed, field, begin, end);
  };
  const bool expected = ask(Portable());
  for (const kernels::Kernel* kernel : SupportedKernels()) {
    Require(ask(*kernel) == expected, "a range as portable", kernel->name);
  }
  return expected;
}

// Bounds near keys. `is_intact`: keys in a range must be found.
void AskRanges(FuzzedDataProvider* input, const Written& written, std::string_view bytes,
               bool is_intact) {
  const filter::Payload payload = filter::DecodeTrailer(bytes);
  for (const std::string& key : written.keys) {
    Require(filter::HashMayMatch(payload, Portable(), filter::Hash64(key, payload.seed)),
            "a field for ranges loses no key");
  }
  RangeField field;
  const bool is_understood = filter::DecodeRangeField(filter::RangesOf(bytes), &field);
  Require(is_understood || !is_intact, "a field as it was written is understood");
  if (!is_understood || payload.layout == filter::Layout::kAlwaysMatch) return;
  std::vector<std::string> bounds(written.keys.begin(), written.keys.end());
  if (bounds.empty()) bounds.push_back("");
  for (size_t n = ConsumeCount(input, 30, 100); n > 0 && input->remaining_bytes() > 0; --n) {
    const std::string& key = bounds[input->ConsumeIntegralInRange<size_t>(0, bounds.size() - 1)];
    const std::string begin = ConsumeKeyNear(input, key);
    const std::string end = ConsumeKeyNear(input, input->ConsumeBool() ? begin : key);
    const bool may_match = RangeMatches(payload, field, begin, end);
    if (may_match || !is_intact) continue;
    const auto first = written.keys.lower_bound(begin);
    Require(first == written.keys.end() || *first >= end, "a range that holds a key matches");
    Require(!written.is_partition || end <= *written.keys.rbegin(),
            "a partition does not speak for the next one");
  }
}

}  // namespace
}  // namespace bloomline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bloomline::fuzz;
  FuzzedDataProvider input(data, size);
  const Place place = ConsumePlace(&input);
  const Written written = Write(&input);
  Placed placed(written.bytes, place);
  AskRanges(&input, written, placed.view(), true);
  const std::string_view field = bloomline::filter::RangesOf(placed.view());
  if (field.empty()) return 0;
  char* const content = placed.data() + (field.data() - placed.view().data());
  for (size_t n = ConsumeCount(&input, 2, 20); n > 0; --n) {
    content[input.ConsumeIntegralInRange<size_t>(0, field.size() - 1)] =
        input.ConsumeIntegral<char>();
  }
  AskRanges(&input, written, placed.view(), false);
  return 0;
}
