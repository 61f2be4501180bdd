// Bytes of docs/format.md that an independent implementation wrote (golden/reference.py).
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/filter.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/leveldb_codes.h"
#include "src/filter/container/trailer.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/writer/filter_writer.h"
#include "tests/support/each_kernel.h"
#include "tests/support/finished_filter.h"
#include "tests/support/golden_keys.h"
#include "tests/support/leveldb_filter.h"
#include "tests/support/payload_query.h"

namespace bloomline::tests::golden_test {
namespace {

struct Vector {
  std::string container;
  std::string format;
  FilterOptions options;
  std::vector<std::string> keys;
  std::string filter;
};

std::vector<Vector> ReadVectors(const std::string& name) {
  std::ifstream file(BLOOMLINE_GOLDEN_DIR "/" + name);
  std::vector<Vector> vectors;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Vector v;
    std::string keys, filter;
    fields >> v.container >> v.format >> v.options.bits_per_key >> v.options.seed >> keys >> filter;
    v.options.format = v.format == "classic"   ? Format::kClassic
                       : v.format == "compact" ? Format::kCompact
                       : v.format == "ribbon"  ? Format::kRibbon
                                               : Format::kBlocked;
    v.keys = KeysFromHex(keys);
    v.filter = FromHex(filter);
    vectors.push_back(v);
  }
  return vectors;
}

std::string BuildLevelDB(const Vector& v) {
  return LevelDBFilter(v.options, {v.keys.begin(), v.keys.end()});
}

std::string BuildStandalone(const Vector& v) {
  FilterBuilder builder(v.options);
  for (const std::string& key : v.keys) builder.AddKey(key);
  return builder.Finish();
}

std::string BuildWith(ShapeFunction shape, const Vector& v) {
  filter::FilterWriter writer(v.options);
  for (const std::string& key : v.keys) writer.AddKey(key);
  return FinishedFilter(&writer, shape);
}

std::string Build(const Vector& v) {
  return v.container == "leveldb"   ? BuildLevelDB(v)
         : v.container == "rocksdb" ? BuildWith(filter::SSTableShape, v)
                                    : BuildStandalone(v);
}

void ExpectWritten() {
  const std::vector<Vector> vectors = ReadVectors("vectors.txt");
  ASSERT_GE(vectors.size(), 38u);
  for (const Vector& v : vectors) {
    EXPECT_EQ(v.filter, Build(v)) << v.container << " " << v.format << " "
                                  << v.options.bits_per_key;
  }
}

void ExpectRead() {
  for (const Vector& v : ReadVectors("vectors.txt")) {
    const filter::Payload payload = v.container == "leveldb" ? filter::DecodeLevelDB(v.filter)
                                                             : filter::DecodeTrailer(v.filter);
    ASSERT_NE(payload.layout, filter::Layout::kAlwaysMatch) << v.container << " " << v.format;
    // In LevelDB the bytes do not record the seed.
    const uint64_t seed = v.container == "leveldb" ? v.options.seed : payload.seed;
    const auto may_match = [&](std::string_view key) {
      return PayloadMayMatch(payload, kernels::ActiveKernel(),
                             filter::LayoutHash(payload.layout, key, seed));
    };
    for (const std::string& key : v.keys) EXPECT_TRUE(may_match(key));
    int matches = 0;
    for (int i = 0; i < 1000; ++i) matches += may_match("absent" + std::to_string(i));
    EXPECT_LT(matches, v.options.bits_per_key < 2   ? 850
                       : v.options.bits_per_key < 4 ? 250
                       : v.options.bits_per_key < 5 ? 120
                                                    : 40)
        << v.container << " " << v.format;
  }
}

// Earlier versions wrote filters of canonical forms: one of "hello" and "world" for the
// canonicalizer app.Case. A query of a key in another spelling, such as "Hello", must not be
// answered "no".
TEST(ReservedTagTest, AFilterOfEarlierVersionsMatches) {
  const std::string filter = FromHex(
      "000210040000060000000c0000000000000104000000000000000000000000000000000000000000"
      "00000000000000000004000000000000000000400000200001086170702e43617365000000000000"
      "00000100000001060a00624c6e01");
  std::string why;
  EXPECT_TRUE(filter::DecodeTrailer(filter, &why).always_matches());
  EXPECT_EQ(why, "its extension has tag 1, which this version does not know");
  EXPECT_TRUE(FilterView::Open(filter).MayMatch("Hello"));
  EXPECT_EQ(FilterView::Validate(filter), why);
}

// A line of ribbon_filters.txt.
void ExpectRibbonFilters() {
  std::ifstream file(BLOOMLINE_GOLDEN_DIR "/ribbon_filters.txt");
  int num_vectors = 0;
  uint64_t num_keys, seed, num_bytes, hash;
  std::string layout;
  for (double bits; file >> num_keys >> bits >> seed >> layout >> num_bytes >> hash;) {
    SCOPED_TRACE(testing::Message() << num_keys << " keys, " << bits << " bits, seed " << seed);
    FilterBuilder builder({Format::kRibbon, bits, seed});
    for (uint64_t i = 0; i < num_keys; ++i) builder.AddKey(std::to_string(i));
    const std::string filter = builder.Finish();
    EXPECT_EQ(filter::LayoutRowFor(filter::DecodeTrailer(filter).layout).name, layout);
    EXPECT_EQ(filter.size(), num_bytes);
    EXPECT_EQ(filter::Hash64(filter, 0), hash);
    ++num_vectors;
  }
  EXPECT_EQ(num_vectors, 102);
}

TEST(GoldenTest, WritersMakeExactlyTheBytesOfTheFormat) { WithEachKernel(ExpectWritten); }
TEST(GoldenTest, ReadersUnderstandTheBytesOfTheFormat) { WithEachKernel(ExpectRead); }
TEST(GoldenTest, RibbonFiltersOfManySizesAreThoseOfTheFormat) {
  WithEachKernel(ExpectRibbonFilters);
}

// Layout 3 of versions before 0.4.0.
TEST(GoldenTest, FormerCompactFiltersMatchEveryKeyAndSaySo) {
  const std::vector<Vector> vectors = ReadVectors("former_compact.txt");
  ASSERT_EQ(vectors.size(), 20u);
  for (const Vector& v : vectors) {
    std::string why;
    const filter::Payload payload = filter::DecodeTrailer(v.filter, &why);
    EXPECT_EQ(payload.layout, filter::Layout::kFormerCompact);
    EXPECT_TRUE(payload.always_matches());
    EXPECT_EQ(why, filter::kFormerCompactText);
    EXPECT_EQ(FilterView::Validate(v.filter),
              "a compact filter of bloomline before 0.4.0: build it again from its keys, as ribbon "
              "or blocked");
    const FilterView view = FilterView::Open(v.filter);
    EXPECT_TRUE(view.AlwaysMatches());
    EXPECT_EQ(view.num_probes(), 0);
    std::vector<std::string_view> keys(v.keys.begin(), v.keys.end());
    keys.push_back("absent");
    const std::unique_ptr<bool[]> answers(new bool[keys.size()]);
    view.MayMatch(keys.size(), keys.data(), answers.get());
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_TRUE(view.MayMatch(keys[i]));
      EXPECT_TRUE(answers[i]);
    }
  }
}

}  // namespace
}  // namespace bloomline::tests::golden_test
