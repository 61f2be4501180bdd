// The Ribbon builder without RocksDB: the bytes that RocksDB 7.8.3 wrote, with each kernel, and
// which hashes are added.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>

#include "src/filter/stock/rocksdb_hash.h"
#include "src/filter/stock/stock_filter.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/writer/filter_writer.h"
#include "tests/support/each_kernel.h"

namespace bloomline::tests::ribbon_builder_test {
namespace {

std::string Finished(filter::FilterWriter* writer, const kernels::Kernel& kernel) {
  const filter::FilterShape shape = writer->Plan({}, &kernel);
  std::string bytes(shape.payload_bytes() + stock::kMetadataBytes, '\0');
  writer->FinishTo(shape, bytes.data());
  return bytes;
}

class RibbonBuilderTest : public EachKernelTest {};
BLOOMLINE_WITH_EACH_KERNEL(RibbonBuilderTest);

// Keys are the numbers from 0 on, as text.
TEST_P(RibbonBuilderTest, BytesAreThoseOfTheGoldenVectors) {
  std::ifstream file(BLOOMLINE_GOLDEN_DIR "/ribbon.txt");
  int num_vectors = 0;
  uint64_t num_keys, num_bytes, hash;
  for (double bits; file >> num_keys >> bits >> num_bytes >> hash; ++num_vectors) {
    filter::FilterWriter builder({Format::kRibbon, bits}, filter::PlanRow(Format::kRibbon));
    for (uint64_t i = 0; i < num_keys; ++i) builder.AddKey(std::to_string(i));
    const std::string filter = Finished(&builder, kernel());
    EXPECT_EQ(filter.size(), num_bytes) << num_keys << " keys, " << bits << " bits";
    EXPECT_EQ(stock::RocksDBHash64(filter), hash) << num_keys << " keys, " << bits << " bits";
  }
  EXPECT_EQ(num_vectors, 14);
}

// In this order: a key after its prefix, each unless it is one of the two before.
TEST_P(RibbonBuilderTest, AddsAKeyAfterItsAlternative) {
  constexpr const char* kPairs[][2] = {{"a1", "a"}, {"a2", "a"}, {"b", "b"}, {"b", "b"},
                                       {"c", "b"},  {"d", "c"},  {"c", "d"}, {"x", "y"}};
  constexpr const char* kAdded[] = {"a", "a1", "a2", "b", "c", "d", "y", "x"};
  const auto numbers = [](filter::FilterWriter* builder) {
    for (int i = 0; i < 1000; ++i) builder->AddKey(std::to_string(i));
  };
  const filter::LayoutRow& plan = filter::PlanRow(Format::kRibbon);
  filter::FilterWriter pairs({Format::kRibbon, 10}, plan), added({Format::kRibbon, 10}, plan);
  for (const auto& [key, alt] : kPairs) pairs.AddKeyAndPrefix(key, alt);
  numbers(&pairs);
  for (const char* key : kAdded) added.AddKey(key);
  numbers(&added);
  EXPECT_EQ(pairs.num_keys(), added.num_keys());
  EXPECT_TRUE(Finished(&pairs, kernel()) == Finished(&added, kernel()));
}

}  // namespace
}  // namespace bloomline::tests::ribbon_builder_test
