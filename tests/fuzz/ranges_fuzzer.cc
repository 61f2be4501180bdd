// Range filters: a range that holds a key matches, with every kernel, whatever the keys, the kinds
// of entries and the bounds are. Damaged bytes crash nothing.
#include <set>
#include <vector>

#include "src/filter/ranges/range_entries.h"
#include "src/filter/ranges/range_property.h"
#include "src/filter/ranges/range_query.h"
#include "tests/fuzz/fuzz_input.h"

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
        input->ConsumeIntegralInRange<size_t>(0, filter::kDelimiters.size());
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
  options.memory = input->ConsumeIntegralInRange<int>(1, 4000) / 100.0;
  options.is_last_level = input->ConsumeBool();
  options.format = input->ConsumeBool() ? Format::kRibbon : Format::kBlocked;
  options.bits_per_key = 14;  // false positives would hide what is wrong
  options.seed = input->ConsumeIntegral<uint64_t>();
  options.max_bytes = input->ConsumeIntegralInRange<int>(0, 7) == 7 ? 4096 : 0;
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
  std::string bytes;  // empty: no filter
};

Written Write(FuzzedDataProvider* input) {
  filter::RangeEntries entries(ConsumeEntries(input));
  Written written;
  // The second filter does not remember the first one.
  for (int n = input->ConsumeBool() ? 2 : 1; n > 0; --n) {
    written.keys = ConsumeKeys(input);
    const auto add = [&](const std::string& key) { entries.Add(key); };
    // Another order gives no filter.
    if (input->ConsumeIntegralInRange<int>(0, 15) == 15) {
      std::for_each(written.keys.rbegin(), written.keys.rend(), add);
    } else {
      std::for_each(written.keys.begin(), written.keys.end(), add);
    }
    written.bytes = entries.Finish();
  }
  return written;
}

// A filter, opened with each kernel.
struct Opened {
  explicit Opened(std::string_view bytes) {
    for (const kernels::Kernel* kernel : SupportedKernels()) {
      tables.push_back(filter::OpenedTable(bytes, *kernel));
    }
  }

  bool RangeMatches(const std::string& begin, const std::string& end) const {
    const bool expected = filter::RangeMayMatch(tables.front().ranges, begin, end);
    for (size_t i = 1; i < tables.size(); ++i) {
      Require(filter::RangeMayMatch(tables[i].ranges, begin, end) == expected,
              "a range as portable", SupportedKernels()[i]->name);
    }
    return expected;
  }

  std::vector<filter::TableRanges> tables;
};

// Bounds near keys. `is_intact`: keys in a range must be found.
void AskRanges(FuzzedDataProvider* input, const Written& written, std::string_view bytes,
               bool is_intact) {
  const Opened opened(bytes);
  const filter::TableRanges& table = opened.tables.front();
  Require(table.ranges.is_understood || !is_intact, "what was written is understood");
  Require(!is_intact || table.last_key.empty() || table.last_key == *written.keys.rbegin(),
          "the last key is that of the table");
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
  }
}

}  // namespace
}  // namespace bloomline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bloomline::fuzz;
  FuzzedDataProvider input(data, size);
  const Place place = ConsumePlace(&input);
  const Written written = Write(&input);
  if (written.bytes.empty()) return 0;
  Placed placed(written.bytes, place);
  AskRanges(&input, written, placed.view(), true);
  // The head, and the first of the rest.
  const size_t most = std::min<size_t>(written.bytes.size(), 256);
  for (size_t n = ConsumeCount(&input, 2, 20); n > 0; --n) {
    placed.data()[input.ConsumeIntegralInRange<size_t>(0, most - 1)] =
        input.ConsumeIntegral<char>();
  }
  AskRanges(&input, written, placed.view(), false);
  return 0;
}
