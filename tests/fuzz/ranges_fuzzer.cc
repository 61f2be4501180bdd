// Range entries: a range that holds a key matches, with every kernel, whatever the keys, the
// kinds of entries and the bounds are. A damaged extension crashes nothing and loses no key.
#include <set>
#include <vector>

#include "src/filter/container/trailer.h"
#include "src/filter/ranges/range_entries.h"
#include "src/filter/ranges/range_query.h"
#include "src/filter/view/hash_query.h"
#include "src/filter/writer/filter_writer.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/finished_filter.h"

namespace bloomline::fuzz {
namespace {

using filter::EntryKinds;

uint8_t ConsumeCopies(FuzzedDataProvider* input) {
  return input->ConsumeIntegralInRange<uint8_t>(1, filter::kMaxCopies);
}

EntryKinds ConsumeKinds(FuzzedDataProvider* input) {
  EntryKinds kinds;
  std::set<uint16_t> lengths;
  const auto num_lengths = input->ConsumeIntegralInRange<size_t>(0, filter::kMaxCellLengths);
  for (size_t i = 0; i < num_lengths; ++i) {
    // Most keys are short.
    const uint16_t most = input->ConsumeBool() ? filter::kMaxCellBits : 40;
    lengths.insert(input->ConsumeIntegralInRange<uint16_t>(1, most));
  }
  for (const uint16_t bits : lengths) {
    kinds.cells[kinds.num_cells++] = {bits, ConsumeCopies(input)};
  }
  constexpr unsigned char kDelimiters[] = {0, '/', 0xfe, 0xff};
  for (const unsigned char delimiter : kDelimiters) {
    const auto depths = input->ConsumeIntegral<uint8_t>();
    for (uint8_t depth = 1; depth <= filter::kMaxDepth; ++depth) {
      if ((depths >> (depth - 1) & 1) == 0) continue;
      kinds.prefixes[kinds.num_prefixes++] = {delimiter, depth, ConsumeCopies(input)};
    }
  }
  return kinds;
}

// What scans asked for: "auto" chooses by it.
filter::RangeCounts::SampledRanges ConsumeSample(FuzzedDataProvider* input) {
  filter::RangeCounts::SampledRanges sample;
  sample.size = input->ConsumeIntegralInRange<size_t>(0, 4);
  for (size_t i = 0; i < sample.size; ++i) {
    auto& range = sample.ranges[i];
    range.delimiter =
        input->ConsumeIntegralInRange<size_t>(0, filter::RangeCounts::kDelimiters.size());
    range.depth = input->ConsumeIntegralInRange<size_t>(1, filter::kMaxDepth);
    range.bits = input->ConsumeIntegralInRange<size_t>(1, filter::kMaxCellBits);
    range.weight = input->ConsumeIntegral<uint8_t>();
  }
  return sample;
}

filter::RangeEntryOptions ConsumeEntries(FuzzedDataProvider* input) {
  filter::RangeEntryOptions options;
  options.is_auto = input->ConsumeBool();
  if (!options.is_auto) options.kinds = ConsumeKinds(input);
  if (options.is_auto) options.sample = ConsumeSample(input);
  options.memory = input->ConsumeIntegralInRange<int>(1, 400) / 100.0;
  options.num_levels_below = input->ConsumeIntegralInRange<int>(0, 3);
  options.family = input->ConsumeIntegral<uint32_t>();
  return options;
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
    kDelimiters,
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
  if (kind == kDelimiters) key.insert(up_to(key.size()), up_to(9), '/');
  // Around the last byte that a prefix can have, too.
  if (kind == kLong) {
    const size_t most = input->ConsumeBool() ? kMaxKeyBytes : filter::kMaxPrefixBytes + 8;
    key.resize(most - up_to(most), input->ConsumeIntegral<char>());
  }
  return key;
}

// Maps each byte to one of a few that follow the least one of its position.
std::string WithinAlphabet(std::string key, const std::string& alphabet) {
  for (size_t i = 0; i < std::min(key.size(), alphabet.size()); ++i) {
    const auto part = static_cast<unsigned char>(key[i]) % (1 + i % 5);
    key[i] = static_cast<char>(alphabet[i] + part);
  }
  return key;
}

std::set<std::string> ConsumeKeys(FuzzedDataProvider* input) {
  std::set<std::string> keys;
  std::string key;
  const size_t num_keys = ConsumeCount(input, 20, 200);
  // Of all keys, if above 0, and what all of them end with.
  const auto length = input->ConsumeIntegralInRange<size_t>(0, 16);
  const std::string suffix(input->ConsumeBool() ? input->ConsumeIntegralInRange<size_t>(0, 60) : 0,
                           input->ConsumeIntegral<char>());
  const std::string alphabet = input->ConsumeBool() ? "" : input->ConsumeRandomLengthString(12);
  for (size_t i = 0; i < num_keys && input->remaining_bytes() > 0; ++i) {
    key = ConsumeKeyNear(input, key);
    if (length > 0) key.resize(length);
    keys.insert(WithinAlphabet(key, alphabet) + suffix);
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
  filter::RangeEntries entries(ConsumeEntries(input));
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

// A filter, opened for ranges with each kernel.
struct Opened {
  Opened(std::string_view bytes, bool with_limits)
      : payload(filter::DecodeTrailer(bytes, nullptr, &fields)) {
    if (!with_limits) fields.key_limits = {};  // as an older filter has none
    for (const kernels::Kernel* kernel : SupportedKernels()) {
      ranges.push_back(filter::OpenedRanges(payload, fields, *kernel));
    }
  }

  bool RangeMatches(const std::string& begin, const std::string& end) const {
    const bool expected = filter::RangeMayMatch(ranges.front(), begin, end);
    for (size_t i = 1; i < ranges.size(); ++i) {
      Require(filter::RangeMayMatch(ranges[i], begin, end) == expected, "a range as portable",
              SupportedKernels()[i]->name);
    }
    return expected;
  }

  filter::Extension fields;
  filter::Payload payload;
  std::vector<filter::OpenRanges> ranges;
};

// Bounds near keys. `is_intact`: keys in a range must be found.
void AskRanges(FuzzedDataProvider* input, const Written& written, std::string_view bytes,
               bool is_intact) {
  const Opened opened(bytes, input->ConsumeIntegralInRange<int>(0, 7) != 7);
  for (const std::string& key : written.keys) {
    const uint64_t hash = filter::Hash64(key, opened.payload.seed);
    Require(filter::HashMayMatch(opened.payload, Portable(), hash),
            "fields for ranges lose no key");
  }
  Require(opened.ranges.front().is_understood || !is_intact, "what was written is understood");
  std::vector<std::string> bounds(written.keys.begin(), written.keys.end());
  if (bounds.empty()) bounds.push_back("");
  for (size_t n = ConsumeCount(input, 30, 100); n > 0 && input->remaining_bytes() > 0; --n) {
    const std::string& key = bounds[input->ConsumeIntegralInRange<size_t>(0, bounds.size() - 1)];
    const std::string begin = ConsumeKeyNear(input, key);
    const std::string end = ConsumeKeyNear(input, input->ConsumeBool() ? begin : key);
    const bool may_match = opened.RangeMatches(begin, end);
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
  // The extension, in front of the trailer: the shape of the second payload, and the kinds.
  const size_t trailer = written.bytes.size() - bloomline::filter::kTrailerBytes;
  const auto extension_bytes = static_cast<unsigned char>(written.bytes[trailer + 14]);
  if (extension_bytes == 0) return 0;
  for (size_t n = ConsumeCount(&input, 2, 20); n > 0; --n) {
    placed.data()[trailer - input.ConsumeIntegralInRange<size_t>(1, extension_bytes)] =
        input.ConsumeIntegral<char>();
  }
  AskRanges(&input, written, placed.view(), false);
  return 0;
}
