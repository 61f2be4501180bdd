// Range filters and their answers are those of tests/golden/reference.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "bloomline/filter.h"
#include "src/filter/container/trailer.h"
#include "src/filter/ranges/range_choice.h"
#include "tests/support/golden_keys.h"
#include "tests/support/range_filter.h"

namespace bloomline::tests::range_golden_test {
namespace {

using filter::EntryKinds;

std::vector<std::string> Items(const std::string& text) {
  std::vector<std::string> items;
  std::istringstream fields(text == "-" ? "" : text);
  for (std::string item; std::getline(fields, item, ',');) items.push_back(item);
  return items;
}

EntryKinds KindsFromText(const std::string& cells, const std::string& prefixes) {
  EntryKinds kinds;
  for (const std::string& item : Items(cells)) {
    unsigned bits, copies;
    EXPECT_EQ(std::sscanf(item.c_str(), "%ux%u", &bits, &copies), 2);
    kinds.cells[kinds.num_cells++] = {static_cast<uint16_t>(bits), static_cast<uint8_t>(copies)};
  }
  for (const std::string& item : Items(prefixes)) {
    unsigned delimiter, depth, copies;
    EXPECT_EQ(std::sscanf(item.c_str(), "%x:%ux%u", &delimiter, &depth, &copies), 3);
    kinds.prefixes[kinds.num_prefixes++] = {static_cast<unsigned char>(delimiter),
                                            static_cast<uint8_t>(depth),
                                            static_cast<uint8_t>(copies)};
  }
  return kinds;
}

// The memory with which each copy of an entry gets so many bits.
double MemoryFor(double bits_per_entry, double entries_per_key) {
  return entries_per_key * bits_per_entry / kRangeBitsPerKey;
}

std::string KeyFromHex(const std::string& text) { return text == "-" ? "" : FromHex(text); }

TEST(RangeGoldenTest, BytesAndAnswersAreThose) {
  std::ifstream file(BLOOMLINE_GOLDEN_DIR "/ranges.txt");
  std::unique_ptr<WrittenRanges> ranges;
  int num_filters = 0;
  int num_answers = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string format;
    fields >> format;
    if (format == "range") {
      std::string begin, end, answer;
      fields >> begin >> end >> answer;
      EXPECT_EQ(ranges->MayMatch(KeyFromHex(begin), KeyFromHex(end)), answer == "may") << line;
      ++num_answers;
      continue;
    }
    std::string cells, prefixes, hex_keys, hex_filter;
    double bits_per_entry, num_entries;
    uint64_t seed;
    fields >> bits_per_entry >> cells >> prefixes >> num_entries >> seed >> hex_keys >> hex_filter;
    const std::vector<std::string> list = KeysFromHex(hex_keys);
    const std::set<std::string> keys(list.begin(), list.end());
    filter::RangeEntryOptions options;
    options.kinds = KindsFromText(cells, prefixes);
    const double num_keys = double(keys.size() - keys.count(""));
    options.memory =
        MemoryFor(bits_per_entry, std::max(num_entries, 1.0) / std::max(num_keys, 1.0));
    const WrittenRanges written(keys, options,
                                format == "ribbon" ? Format::kRibbon : Format::kBlocked, seed);
    ranges = std::make_unique<WrittenRanges>(FromHex(hex_filter));
    EXPECT_EQ(written.bytes(), ranges->bytes()) << line;
    ++num_filters;
  }
  EXPECT_EQ(num_filters, 27);
  EXPECT_EQ(num_answers, 403);
}

// Range filters of version 0.3.0 whose entries have the layout that is no longer read: only the
// last key and the limits reject ranges, and none that version 0.3.0 did not reject.
TEST(RangeGoldenTest, FormerCompactEntriesAreLeftOut) {
  std::ifstream file(BLOOMLINE_GOLDEN_DIR "/former_ranges.txt");
  std::unique_ptr<WrittenRanges> ranges;
  std::map<std::string, int> num_answers;  // of 0.3.0 and of this version
  int num_filters = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(fields), {}};
    if (words.front() == "range") {
      const bool may_match = ranges->MayMatch(KeyFromHex(words[1]), KeyFromHex(words[2]));
      ++num_answers[words[3] + (may_match ? ", may" : ", no")];
      continue;
    }
    ASSERT_EQ(words.size(), 8U);
    ranges = std::make_unique<WrittenRanges>(FromHex(words[7]));
    ++num_filters;
    EXPECT_TRUE(ranges->is_understood()) << line;
    EXPECT_TRUE(ranges->field().kinds.empty()) << line;
    const std::vector<std::string> keys = KeysFromHex(words[6]);
    EXPECT_EQ(ranges->last_key(), keys.back()) << line;
    for (const std::string& key : keys) {
      EXPECT_TRUE(ranges->MayMatch(key, key + '\0')) << line;
      EXPECT_TRUE(ranges->MayMatch(key.substr(0, 1), key + '\0')) << line;
    }
  }
  EXPECT_EQ(num_filters, 6);
  EXPECT_EQ(num_answers["may, no"], 0);
  EXPECT_EQ(num_answers["may, may"], 31);
  EXPECT_GT(num_answers["no, no"], 10);
  EXPECT_GT(num_answers["no, may"], 0);
}

// Filters with range entries of versions up to 0.2.0: their keys are found, and the entries are not
// taken for keys.
TEST(RangeGoldenTest, FiltersWithEntriesAnswerKeys) {
  std::ifstream file(BLOOMLINE_GOLDEN_DIR "/range_entries.txt");
  int num_filters = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("range ", 0) == 0) continue;
    std::istringstream fields(line);
    const std::vector<std::string> words{std::istream_iterator<std::string>(fields), {}};
    ASSERT_EQ(words.size(), 10U);
    const std::string bytes = FromHex(words[9]);
    const FilterView filter = FilterView::Open(bytes);
    const bool is_former = words[0] == "compact";
    EXPECT_EQ(filter.AlwaysMatches(), is_former) << line;
    for (const std::string& key : KeysFromHex(words[8])) EXPECT_TRUE(filter.MayMatch(key)) << line;
    const filter::Payload payload = filter::DecodeTrailer(bytes);
    EXPECT_LT(payload.payload_bytes() + filter::kTrailerBytes, bytes.size());
    ++num_filters;
  }
  EXPECT_EQ(num_filters, 54);
}

}  // namespace
}  // namespace bloomline::tests::range_golden_test
