// Bytes of docs/format.md that an independent implementation wrote (golden/reference.py).
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "bloomline/filter.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/bits/hash.h"
#include "src/filter/container/leveldb_codes.h"
#include "src/filter/container/trailer.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/view/hash_query.h"
#include "src/filter/writer/filter_writer.h"
#include "tests/support/each_kernel.h"
#include "tests/support/finished_filter.h"
#include "tests/support/golden_keys.h"
#include "tests/support/leveldb_filter.h"

namespace bloomline::tests::golden_test {
namespace {

struct Vector {
  std::string container;
  std::string layout;
  FilterOptions options;
  std::vector<std::string> keys;
  std::string filter;
};

std::vector<Vector> ReadVectors() {
  std::ifstream file(BLOOMLINE_GOLDEN_DIR "/vectors.txt");
  std::vector<Vector> vectors;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Vector v;
    std::string keys, filter;
    fields >> v.container >> v.layout >> v.options.bits_per_key >> v.options.seed >> keys >> filter;
    v.options.format = v.layout == "classic"   ? Format::kClassic
                       : v.layout == "compact" ? Format::kCompact
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
         : v.container == "rocksdb" ? BuildWith(filter::TableShape, v)
                                    : BuildStandalone(v);
}

// A line of compact_blocks.txt: a block of hashes, or the hashes that match it.
struct BlockVector {
  bool is_written;
  filter::FilterShape shape;
  std::vector<uint64_t> hashes;
  std::string block;
};

constexpr int kNumBlockQueries = 300;

uint64_t HashOfNumber(int i) { return filter::Hash64(std::to_string(i), 0); }

std::vector<BlockVector> ReadBlockVectors() {
  std::ifstream file(BLOOMLINE_GOLDEN_DIR "/compact_blocks.txt");
  std::vector<BlockVector> vectors;
  std::string kind, keys, block;
  for (uint32_t arrangement; file >> kind >> arrangement >> keys >> block;) {
    BlockVector v{
        kind == "written", filter::FilterShape::Compact(1, arrangement), {}, FromHex(block)};
    if (keys == "all") keys = "0-" + std::to_string(kNumBlockQueries);
    std::istringstream fields(keys == "none" ? "" : keys);
    for (std::string range; std::getline(fields, range, ',');) {
      const int first = std::stoi(range);
      const size_t dash = range.find('-');
      const int end = dash == std::string::npos ? first + 1 : std::stoi(range.substr(dash + 1));
      for (int i = first; i < end; ++i) v.hashes.push_back(HashOfNumber(i));
    }
    vectors.push_back(v);
  }
  return vectors;
}

void ExpectWritten() {
  const std::vector<Vector> vectors = ReadVectors();
  ASSERT_GE(vectors.size(), 45u);
  for (const Vector& v : vectors) {
    EXPECT_EQ(v.filter, Build(v)) << v.container << " " << v.layout << " "
                                  << v.options.bits_per_key;
  }
}

void ExpectRead() {
  for (const Vector& v : ReadVectors()) {
    const filter::Payload payload = v.container == "leveldb" ? filter::DecodeLevelDB(v.filter)
                                                             : filter::DecodeTrailer(v.filter);
    ASSERT_NE(payload.layout, filter::Layout::kAlwaysMatch) << v.container << " " << v.layout;
    // In LevelDB the bytes do not record the seed.
    const uint64_t seed = v.container == "leveldb" ? v.options.seed : payload.seed;
    const auto may_match = [&](std::string_view key) {
      return filter::HashMayMatch(payload, kernels::ActiveKernel(),
                                  filter::LayoutHash(payload.layout, key, seed));
    };
    for (const std::string& key : v.keys) EXPECT_TRUE(may_match(key));
    int matches = 0;
    for (int i = 0; i < 1000; ++i) matches += may_match("absent" + std::to_string(i));
    EXPECT_LT(matches, v.options.bits_per_key < 2   ? 600
                       : v.options.bits_per_key < 4 ? 200
                       : v.options.bits_per_key < 5 ? 120
                                                    : 40)
        << v.container << " " << v.layout;
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

void ExpectBlocks() {
  const kernels::Kernel& kernel = kernels::ActiveKernel();
  const std::vector<BlockVector> vectors = ReadBlockVectors();
  ASSERT_GE(vectors.size(), 250u);
  int num_line = 0;
  for (const BlockVector& v : vectors) {
    SCOPED_TRACE(testing::Message() << "line " << ++num_line);
    const kernels::CompactFilter filter = filter::ForKernel(v.shape, v.block.data());
    const auto may_match = kernel.compact.may_match[v.shape.arrangement];
    ASSERT_EQ(v.shape.block_bytes, v.block.size());
    if (v.is_written) {
      std::string block(v.shape.block_bytes, 'x');
      std::vector<uint64_t> hashes = v.hashes;
      filter::LayoutRowFor(v.shape.layout)
          .solve_block(hashes.data(), hashes.size(), v.shape, kernel, block.data());
      EXPECT_EQ(v.block, block);
      for (const uint64_t hash : v.hashes) EXPECT_TRUE(may_match(filter, hash));
    } else {
      std::vector<uint64_t> matches;
      for (int i = 0; i < kNumBlockQueries; ++i) {
        if (may_match(filter, HashOfNumber(i))) matches.push_back(HashOfNumber(i));
      }
      EXPECT_EQ(v.hashes, matches);
    }
  }
}

TEST(GoldenTest, WritersMakeExactlyTheBytesOfTheFormat) { WithEachKernel(ExpectWritten); }
TEST(GoldenTest, ReadersUnderstandTheBytesOfTheFormat) { WithEachKernel(ExpectRead); }
TEST(GoldenTest, CompactBlocksAreThoseOfTheFormat) { WithEachKernel(ExpectBlocks); }

}  // namespace
}  // namespace bloomline::tests::golden_test
