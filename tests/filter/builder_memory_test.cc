// What a builder of static filters takes, as filter.h says.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

#include "bloomline/filter.h"
#include "tests/filter/counted_memory.h"

namespace bloomline::tests::builder_memory_test {
namespace {

// The most bytes that the builder takes for n keys: with them, and until they are a filter.
struct Peaks {
  double keys, finish;
};

Peaks PeaksOf(Format format, uint64_t n) {
  std::mt19937_64 random(n);
  const CountedMemory memory;
  FilterBuilder builder({format, 10});
  for (uint64_t i = 0; i < n; ++i) builder.AddHash(random());
  EXPECT_EQ(builder.num_keys(), n);
  const double keys = double(memory.peak());
  std::string filter(builder.FinishedBytes(), 0);
  builder.FinishTo(filter.data());
  return {keys, double(memory.peak()) - double(filter.capacity())};
}

TEST(BuilderMemoryTest, IsWhatTheHeaderSays) {
  constexpr double kSpare = 2 << 20;
  for (const Format format : {Format::kBlocked, Format::kRibbon}) {
    for (const uint64_t n : {1000, 42000, 600000, 3000000}) {
      SCOPED_TRACE(testing::Message() << FormatName(format) << ", " << n);
      const Peaks peaks = PeaksOf(format, n);
      const double keys = 8 * double(n);
      EXPECT_LE(peaks.keys, keys + kSpare);
      if (format == Format::kBlocked) {
        EXPECT_LE(peaks.finish, 1.03 * keys + kSpare);
      } else {
        EXPECT_LE(peaks.finish, (n <= 42000 ? 4 : 1.1) * keys + kSpare);
      }
    }
  }
}

}  // namespace
}  // namespace bloomline::tests::builder_memory_test
