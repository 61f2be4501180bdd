// Bytes of docs/format.md that an independent implementation wrote (golden/reference.py).
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "bloomline/cpu.h"
#include "bloomline/filter.h"
#include "src/format/layout.h"
#include "src/format/leveldb_codes.h"
#include "src/format/trailer.h"
#include "src/query/hash_query.h"
#include "tests/golden_keys.h"
#include "tests/leveldb_filter.h"

namespace bloomline {
namespace {

using tests::FromHex;

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
    v.keys = tests::KeysFromHex(keys);
    v.filter = FromHex(filter);
    vectors.push_back(v);
  }
  return vectors;
}

std::string BuildLevelDB(const Vector& v) {
  return tests::LevelDBFilter(v.options, {v.keys.begin(), v.keys.end()});
}

std::string BuildStandalone(const Vector& v) {
  FilterBuilder builder(v.options);
  for (const std::string& key : v.keys) builder.AddKey(key);
  return builder.Finish();
}

// With each kernel that this machine can run.
class GoldenTest : public testing::Test {
 protected:
  template <typename F>
  static void WithEachKernel(F check) {
    const std::string active = ActiveKernelName();
    for (const KernelInfo& kernel : Kernels()) {
      if (!kernel.supported) continue;
      SCOPED_TRACE(kernel.name);
      std::string error;
      ASSERT_TRUE(ForceKernel(kernel.name, &error)) << error;
      check();
    }
    EXPECT_TRUE(ForceKernel(active, nullptr));
  }

  static void ExpectWritten();
  static void ExpectRead();
};

TEST_F(GoldenTest, WritersMakeExactlyTheBytesOfTheFormat) { WithEachKernel(ExpectWritten); }
TEST_F(GoldenTest, ReadersUnderstandTheBytesOfTheFormat) { WithEachKernel(ExpectRead); }

void GoldenTest::ExpectWritten() {
  const std::vector<Vector> vectors = ReadVectors();
  ASSERT_GE(vectors.size(), 25u);
  for (const Vector& v : vectors) {
    EXPECT_EQ(v.filter, v.container == "leveldb" ? BuildLevelDB(v) : BuildStandalone(v))
        << v.container << " " << v.layout << " " << v.options.bits_per_key;
  }
}

void GoldenTest::ExpectRead() {
  for (const Vector& v : ReadVectors()) {
    const core::Payload payload =
        v.container == "leveldb" ? core::DecodeLevelDB(v.filter) : core::DecodeStandalone(v.filter);
    ASSERT_NE(payload.layout, core::Layout::kAlwaysMatch) << v.container << " " << v.layout;
    // In LevelDB the bytes do not record the seed.
    const uint64_t seed = v.container == "leveldb" ? v.options.seed : payload.seed;
    const auto may_match = [&](std::string_view key) {
      return core::HashMayMatch(payload, kernels::ActiveKernel(),
                                core::LayoutHash(payload.layout, key, seed));
    };
    for (const std::string& key : v.keys) EXPECT_TRUE(may_match(key));
    int matches = 0;
    for (int i = 0; i < 1000; ++i) matches += may_match("absent" + std::to_string(i));
    EXPECT_LT(matches, v.options.bits_per_key < 2   ? 600
                       : v.options.bits_per_key < 5 ? 120
                                                    : 40)
        << v.container << " " << v.layout;
  }
}

}  // namespace
}  // namespace bloomline
