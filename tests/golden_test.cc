// The bytes of docs/format.md, made by an independent implementation (golden/reference.py).
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "bloomline/filter.h"
#include "bloomline/sizing.h"
#include "src/core/compact.h"
#include "src/core/format.h"
#include "src/core/hash.h"
#include "src/core/payload.h"
#include "src/core/shape.h"
#include "tests/golden_keys.h"

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

// The LevelDB container as its adaptor builds it, without LevelDB.
std::string BuildLevelDB(const Vector& v) {
  const bool classic = v.options.format == Format::kClassic;
  std::vector<uint64_t> hashes;
  for (const std::string& key : v.keys) {
    const uint64_t hash =
        core::LayoutHash(classic ? core::Layout::kClassic : core::Layout::kFlat, key, 0);
    if (classic || hashes.empty() || hashes.back() != hash) hashes.push_back(hash);
  }
  const double bits_per_key = v.options.bits_per_key;
  const core::Shape shape =
      classic ? core::ClassicShape(hashes.size(), bits_per_key)
      : v.options.format == Format::kCompact
          ? core::SmallSetCompactShape(hashes.size(), bits_per_key)
          : core::SmallSetShape(hashes.size(), bits_per_key, OptimalFlatNumProbes(bits_per_key),
                                OptimalNumProbes(Format::kBlocked, bits_per_key));
  std::string filter(shape.payload_bytes, '\0');
  if (shape.layout == core::Layout::kCompact) {
    core::BuildCompactFromArray(hashes.data(), hashes.size(), shape, kernels::ActiveKernel(),
                                filter.data());
  } else {
    core::InsertHashes(shape, kernels::ActiveKernel(), filter.data(), hashes.size(), hashes.data());
  }
  return filter + core::LevelDBCode(shape);
}

std::string BuildStandalone(const Vector& v) {
  FilterBuilder builder(v.options);
  for (const std::string& key : v.keys) builder.AddKey(key);
  return builder.Finish();
}

TEST(GoldenTest, WritersMakeExactlyTheBytesOfTheFormat) {
  const std::vector<Vector> vectors = ReadVectors();
  ASSERT_GE(vectors.size(), 18u);
  for (const Vector& v : vectors) {
    EXPECT_EQ(v.filter, v.container == "leveldb" ? BuildLevelDB(v) : BuildStandalone(v))
        << v.container << " " << v.layout << " " << v.options.bits_per_key;
  }
}

TEST(GoldenTest, ReadersUnderstandTheBytesOfTheFormat) {
  for (const Vector& v : ReadVectors()) {
    const core::Payload payload =
        v.container == "leveldb" ? core::DecodeLevelDB(v.filter) : core::DecodeStandalone(v.filter);
    ASSERT_NE(payload.layout, core::Layout::kAlwaysMatch) << v.container << " " << v.layout;
    const auto may_match = [&](std::string_view key) {
      return core::HashMayMatch(payload, kernels::ActiveKernel(),
                                core::LayoutHash(payload.layout, key, payload.seed));
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
