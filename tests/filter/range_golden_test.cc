// Range filters and their answers are those of tests/golden/reference.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
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
  filter::RangeMemory memory;
  memory.bits_per_key = 4;
  return 4 * entries_per_key * bits_per_entry / filter::BitsPerEntry(1, memory) / kRangeBitsPerKey;
}

std::string KeyFromHex(const std::string& text) { return text == "-" ? "" : FromHex(text); }

TEST(RangeGoldenTest, BytesAndAnswersAreThose) {
  std::ifstream file(BLOOMLINE_GOLDEN_DIR "/ranges.txt");
  std::unique_ptr<WrittenRanges> ranges;
  int num_filters = 0;
  int num_answers = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string layout;
    fields >> layout;
    if (layout == "range") {
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
                                layout == "compact" ? Format::kCompact : Format::kBlocked, seed);
    ranges = std::make_unique<WrittenRanges>(FromHex(hex_filter));
    EXPECT_EQ(written.bytes(), ranges->bytes()) << line;
    ++num_filters;
  }
  EXPECT_EQ(num_filters, 26);
  EXPECT_EQ(num_answers, 388);
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
    EXPECT_FALSE(filter.AlwaysMatches()) << line;
    for (const std::string& key : KeysFromHex(words[8])) EXPECT_TRUE(filter.MayMatch(key)) << line;
    const filter::Payload payload = filter::DecodeTrailer(bytes);
    EXPECT_LT(payload.payload_bytes() + filter::kTrailerBytes, bytes.size());
    ++num_filters;
  }
  EXPECT_EQ(num_filters, 54);
}

}  // namespace
}  // namespace bloomline::tests::range_golden_test
