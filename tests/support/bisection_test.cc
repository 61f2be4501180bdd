// Bisection: the border that it finds, and that it ends.
#include "src/support/bisection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace bloomline::tests::bisection_test {
namespace {

using support::Bisect;

TEST(BisectionTest, WholeNumbersEndAtNeighbours) {
  for (uint64_t last = 3; last < 40; ++last) {
    const auto border = Bisect(uint64_t{3}, uint64_t{40}, [=](uint64_t n) { return n <= last; });
    EXPECT_EQ(border.holds, last);
    EXPECT_EQ(border.fails, last + 1);
  }
  const auto never = [](int n) {
    ADD_FAILURE() << n << " is an end, or outside";
    return true;
  };
  EXPECT_EQ(Bisect(7, 8, never).holds, 7);
  EXPECT_EQ(Bisect(8, 7, never).fails, 7) << "nothing lies between";
  const uint64_t high = uint64_t{1} << 63;
  EXPECT_EQ(Bisect(uint64_t{1}, high, [](uint64_t) { return true; }).holds, high - 1);
}

TEST(BisectionTest, FractionsEndAtNeighboursOrAtThePrecision) {
  const auto squares = [](double x) { return x * x <= 2; };
  const auto exact = Bisect(1.0, 2.0, squares);
  EXPECT_EQ(std::nextafter(exact.holds, 2), exact.fails);
  EXPECT_TRUE(squares(exact.holds) && !squares(exact.fails));
  const auto coarse = Bisect(1.0, 2.0, squares, 0.25);
  EXPECT_EQ(coarse.holds, 1.25);
  EXPECT_EQ(coarse.fails, 1.5);
}

TEST(BisectionTest, TheMiddleMayBeAnother) {
  const auto geometric = [](double low, double high) {
    return high > 1.5 * low ? std::sqrt(low * high) : low;
  };
  const auto border = support::BisectAt(geometric, 1.0, 256.0, [](double x) { return x < 20; });
  EXPECT_DOUBLE_EQ(border.holds, 16);
  EXPECT_DOUBLE_EQ(border.fails, std::sqrt(512));
}

}  // namespace
}  // namespace bloomline::tests::bisection_test
