// Ribbon filters on their own (docs/format.md, sections 3.5 and 5): their bytes with each kernel,
// their sizes, also where no Ribbon seed has a solution, and that whatever the hashes are, none is
// lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bloomline/filter.h"
#include "bloomline/sizing.h"
#include "src/filter/container/trailer.h"
#include "src/filter/hash/hash_list.h"
#include "src/filter/stock/ribbon_solve.h"
#include "src/filter/table/kernel_table.h"
#include "src/filter/table/layout_table.h"
#include "src/filter/writer/filter_writer.h"
#include "tests/support/each_kernel.h"
#include "tests/support/repetitions.h"

namespace bloomline::tests::ribbon_filter_test {
namespace {

using filter::FilterShape;
using filter::Layout;
using kernels::Kernel;

constexpr uint64_t kMaxRibbonKeys = 950000000;

FilterOptions Options(double bits_per_key, uint64_t seed = 0) {
  return {Format::kRibbon, bits_per_key, seed};
}

FilterShape ShapeFor(uint64_t num_keys, double bits_per_key,
                     uint64_t max_payload_bytes = UINT64_MAX) {
  return filter::StandaloneShape(
      Format::kRibbon, {num_keys, bits_per_key, filter::kTrailerBytes, max_payload_bytes});
}

uint64_t BytesOf(const FilterShape& shape) {
  return shape.payload_bytes() + filter::EndBytes(shape);
}

// Different hashes that start in ten neighbouring rows with every Ribbon seed, which changes only
// the lower half of a hash. Theirs is the same, and their upper halves are those of neighbours
// after the first multiplication. From about 150 hashes on, they have no solution.
std::vector<uint64_t> HashesWithoutSolution(size_t n) {
  uint64_t inverse = stock::RibbonKey::kSeedFactor;  // modulo 2^64
  for (int i = 0; i < 5; ++i) inverse *= 2 - inverse * stock::RibbonKey::kSeedFactor;
  // A set of n keys has at least this many starts.
  const uint64_t step = (uint64_t{1} << 32) / (n + 128) * 10 / n;
  std::vector<uint64_t> hashes(n);
  for (size_t i = 0; i < n; ++i) hashes[i] = (i * step * inverse) << 32 | 0x2545F491;
  return hashes;
}

std::string Build(const std::vector<uint64_t>& hashes, double bits_per_key) {
  FilterBuilder builder(Options(bits_per_key));
  builder.AddHashes(hashes.size(), hashes.data());
  const uint64_t num_bytes = builder.FinishedBytes();
  EXPECT_EQ(num_bytes, FilterBytes(Format::kRibbon, builder.num_keys(), bits_per_key));
  const std::string filter = builder.Finish();
  EXPECT_EQ(filter.size(), num_bytes);
  return filter;
}

// Asked one by one and in batches.
size_t NumMatches(const std::string& filter, const std::vector<uint64_t>& hashes) {
  const FilterView view = FilterView::Open(filter);
  EXPECT_FALSE(view.AlwaysMatches()) << FilterView::Validate(filter);
  const std::unique_ptr<bool[]> answers(new bool[hashes.size()]);
  view.MayMatchHashes(hashes.size(), hashes.data(), answers.get());
  size_t matches = 0;
  for (size_t i = 0; i < hashes.size(); ++i) {
    EXPECT_EQ(answers[i], view.MayMatchHash(hashes[i])) << i;
    matches += answers[i] ? 1 : 0;
  }
  return matches;
}

Layout LayoutOf(const std::string& filter) { return filter::DecodeTrailer(filter).layout; }

// ---- Kernels.

TEST(RibbonFilterTest, EveryKernelWritesTheSameBytesAndGivesTheSameAnswers) {
  for (const size_t n : {249, 300, 1000, 5000, 20000, 150000}) {
    if (n > 20000 && kIsSlow) continue;
    const std::vector<uint64_t> stored = RandomHashes(n, n);
    std::vector<uint64_t> queries = RandomHashes(4000, n + 1);
    queries.insert(queries.end(), stored.begin(), stored.begin() + 200);
    for (const double bits_per_key : {1.0, 2.5, 7.1, 10.0, 33.0}) {
      SCOPED_TRACE(testing::Message() << n << " keys, " << bits_per_key << " bits");
      std::string expected;
      size_t expected_matches = 0;
      WithEachKernel([&] {
        const std::string filter = Build(stored, bits_per_key);
        const size_t matches = NumMatches(filter, queries);
        if (expected.empty()) {
          expected = filter;
          expected_matches = matches;
        }
        EXPECT_TRUE(filter == expected);
        EXPECT_EQ(matches, expected_matches);
        EXPECT_EQ(NumMatches(filter, stored), n);
      });
    }
  }
}

// The filter as FinishTo writes it, with this solver.
struct Solved {
  FilterShape shape;
  std::string payload;
};
Solved SolveWith(const stock::RibbonSolver& solver, const std::vector<uint64_t>& hashes,
                 double bits_per_key) {
  Kernel kernel = kernels::ActiveKernel();
  kernel.stock.ribbon_solver = solver;
  filter::HashList list;
  for (const uint64_t hash : hashes) list.Append(hash);
  FilterShape shape = ShapeFor(hashes.size(), bits_per_key);
  EXPECT_EQ(shape.layout, Layout::kRibbon);
  const auto solution = filter::kRibbonRow.solve(
      &list, 0, {hashes.size(), bits_per_key, filter::kTrailerBytes}, kernel, &shape);
  std::string payload(shape.payload_bytes(), '\0');
  solution->WriteTo(shape, kernel, payload.data());
  return {shape, payload};
}

TEST(RibbonFilterTest, TheWaysToSolveASystemGiveTheSameBytes) {
  for (const size_t n : {300, 5000}) {
    const std::vector<uint64_t> hashes = RandomHashes(n, n);
    const std::string expected = Build(hashes, 8);
    for (const Kernel* kernel : SupportedKernels()) {
      stock::RibbonSolver one_by_one = kernel->stock.ribbon_solver;
      one_by_one.solve = [](const stock::RibbonGroup&, stock::WaitingEquations*,
                            stock::RibbonEquation*) { return stock::RibbonSolved::kTooMany; };
      stock::RibbonSolver no_rows = kernel->stock.ribbon_solver, all_rows = no_rows;
      no_rows.most_kept_rows = 0;
      all_rows.most_kept_rows = SIZE_MAX;
      for (const stock::RibbonSolver& solver : {one_by_one, no_rows, all_rows}) {
        const Solved solved = SolveWith(solver, hashes, 8);
        EXPECT_EQ(solved.payload, expected.substr(0, solved.payload.size())) << kernel->name;
        EXPECT_EQ(expected.size(), BytesOf(solved.shape));
      }
    }
  }
}

// Seeds are tried from 0 on, and the number of each is recorded.
int seeds_without_solution = 0;
stock::RibbonSolved FailAtFirst(const stock::RibbonGroup& group, stock::WaitingEquations* waiting,
                                stock::RibbonEquation* rows) {
  if (seeds_without_solution == 0) {
    return kernels::ActiveKernel().stock.ribbon_solver.solve(group, waiting, rows);
  }
  --seeds_without_solution;
  return stock::RibbonSolved::kNo;
}

TEST(RibbonFilterTest, TheFirstSeedWithASolutionIsRecorded) {
  stock::RibbonSolver solver = kernels::ActiveKernel().stock.ribbon_solver;
  solver.solve = FailAtFirst;
  const std::vector<uint64_t> hashes = RandomHashes(300, 1), others = RandomHashes(20000, 2);
  for (const int seed : {0, 1, 2, 30, 31}) {
    seeds_without_solution = seed;
    Solved solved = SolveWith(solver, hashes, 8);
    ASSERT_EQ(solved.shape.layout, Layout::kRibbon);
    EXPECT_EQ(solved.shape.attempt, static_cast<uint32_t>(seed));
    std::string end(filter::EndBytes(solved.shape), 'x');
    filter::EncodeEnd(solved.shape, 0, end.size(), end.data());
    const std::string filter = solved.payload + end;
    EXPECT_EQ(filter[filter.size() - 7], static_cast<char>(seed));
    EXPECT_EQ(NumMatches(filter, hashes), hashes.size()) << seed;
    EXPECT_LT(NumMatches(filter, others), 500u) << seed;
  }
  seeds_without_solution = 32;
  EXPECT_EQ(SolveWith(solver, hashes, 8).shape.layout, Layout::kBlocked);
}

// ---- Sizes.

TEST(RibbonSizeTest, AreThoseOfTheKeysAndOptionsAlone) {
  for (const size_t n : {1, 2, 36, 100, 208, 209, 240, 248, 249, 250, 300, 499, 500, 1000, 3000}) {
    const std::vector<uint64_t> random = RandomHashes(n, n), hard = HashesWithoutSolution(n);
    const std::vector<uint64_t> equal(n, 77);  // one key, n times
    for (const double bits_per_key :
         {1.0, 1.7, 2.3, 3.3, 5.0, 7.1, 10.0, 16.4, 25.0, 34.0, 100.0}) {
      SCOPED_TRACE(testing::Message() << n << " keys, " << bits_per_key << " bits");
      const std::string filter = Build(random, bits_per_key);
      EXPECT_EQ(NumMatches(filter, random), n);
      const std::string of_hard = Build(hard, bits_per_key);
      EXPECT_EQ(of_hard.size(), filter.size());
      EXPECT_EQ(NumMatches(of_hard, hard), n);
      EXPECT_EQ(NumMatches(Build(equal, bits_per_key), equal), n);
      // Within 15 bytes, and without the bits that a Ribbon filter cannot use.
      const double paid = static_cast<double>(n) * bits_per_key / 8;
      EXPECT_LT(static_cast<double>(filter.size()), std::max(paid + 16, 42.0));
      EXPECT_TRUE(bits_per_key > 32 || static_cast<double>(filter.size()) >= paid);
    }
  }
}

TEST(RibbonSizeTest, WithoutASolutionABloomFilterHasTheSameBytes) {
  const struct {
    size_t num_keys;
    double bits_per_key;
    Layout layout;                             // without a solution
  } kCases[] = {{240, 1.8, Layout::kFlat},     // in 37 bytes
                {330, 1.7, Layout::kFlat},     // 53
                {499, 1.4, Layout::kBlocked},  // 69
                {300, 7.1, Layout::kBlocked},  {1000, 10, Layout::kBlocked},
                {1000, 100, Layout::kBlocked}, {5000, 3, Layout::kBlocked}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.num_keys << " keys, " << c.bits_per_key << " bits");
    const std::vector<uint64_t> easy = RandomHashes(c.num_keys, 5);
    const std::string ribbon = Build(easy, c.bits_per_key);
    ASSERT_EQ(LayoutOf(ribbon), Layout::kRibbon);
    const std::vector<uint64_t> hard = HashesWithoutSolution(c.num_keys);
    const std::string other = Build(hard, c.bits_per_key);
    ASSERT_EQ(LayoutOf(other), c.layout);
    EXPECT_EQ(other.size(), ribbon.size());
    EXPECT_EQ(NumMatches(other, hard), hard.size());
    FilterBuilder builder(Options(c.bits_per_key));
    builder.AddHashes(hard.size(), hard.data());
    std::string memory(other.size(), 'x');
    builder.FinishTo(memory.data());
    EXPECT_TRUE(memory == other) << "every byte is written";
    // All bytes but those of a begun block are used, with the best number of probes.
    const FilterShape shape = filter::DecodeTrailer(other);
    const uint64_t num_bytes = ribbon.size() - filter::kTrailerBytes;
    EXPECT_EQ(shape.payload_bytes(), c.layout == Layout::kFlat ? num_bytes : num_bytes / 64 * 64);
    const double bits = std::min(
        kMaxBitsPerKey, 8 * static_cast<double>(num_bytes) / static_cast<double>(c.num_keys));
    EXPECT_EQ(shape.num_probes, filter::LayoutRowFor(shape.layout).num_probes(bits));
    // The same with a solver that has none, for keys that are not chosen.
    stock::RibbonSolver never = kernels::ActiveKernel().stock.ribbon_solver;
    never.solve = [](const stock::RibbonGroup&, stock::WaitingEquations*, stock::RibbonEquation*) {
      return stock::RibbonSolved::kNo;
    };
    const Solved solved = SolveWith(never, easy, c.bits_per_key);
    EXPECT_EQ(solved.shape.layout, c.layout);
    EXPECT_EQ(solved.shape.payload_bytes(), shape.payload_bytes());
    EXPECT_EQ(solved.shape.num_probes, shape.num_probes);
    std::string filter(ribbon.size(), 'x');
    std::copy(solved.payload.begin(), solved.payload.end(), filter.begin());
    filter::EncodeEnd(solved.shape, 0, filter.size() - solved.payload.size(),
                      filter.data() + solved.payload.size());
    EXPECT_EQ(NumMatches(filter, easy), easy.size());
  }
}

TEST(RibbonSizeTest, MoreKeysNeverTakeFewerBytes) {
  std::vector<uint64_t> numbers;
  for (uint64_t n = 0; n < 5000; ++n) numbers.push_back(n);
  for (uint64_t n = 8000; n < 400000; n += n / 300) numbers.push_back(n);
  for (const uint64_t at : {uint64_t{1} << 16, uint64_t{63447}, uint64_t{1001033},
                            uint64_t{496324592}, kMaxRibbonKeys}) {
    for (uint64_t n = at - 40; n < at + 40; ++n) numbers.push_back(n);
  }
  std::sort(numbers.begin(), numbers.end());
  for (const uint64_t max_bytes : {UINT64_MAX, uint64_t{4096}, uint64_t{1} << 29}) {
    for (double bits_per_key = 1; bits_per_key <= 100; bits_per_key *= 1.13) {
      uint64_t before = 0;
      for (const uint64_t n : numbers) {
        const FilterShape shape = ShapeFor(n, bits_per_key, max_bytes);
        const uint64_t bytes = BytesOf(shape);
        ASSERT_GE(bytes, before) << n << " keys, " << bits_per_key << " bits";
        ASSERT_LE(shape.payload_bytes(), max_bytes) << n << " keys, " << bits_per_key << " bits";
        before = bytes;
      }
    }
  }
}

TEST(RibbonSizeTest, MoreKeysThanTheLayoutCanHaveAreBlocked) {
  for (const double bits_per_key : {1.0, 7.1, 10.0, 32.0, 34.0, 100.0}) {
    SCOPED_TRACE(bits_per_key);
    EXPECT_EQ(ShapeFor(kMaxRibbonKeys, bits_per_key).layout, Layout::kRibbon);
    for (const uint64_t n : {kMaxRibbonKeys + 1, uint64_t{1} << 32, uint64_t{1} << 40}) {
      const FilterShape shape = ShapeFor(n, bits_per_key);
      EXPECT_EQ(shape.layout, Layout::kBlocked);
      EXPECT_EQ(BytesOf(shape), FilterBytes(Format::kRibbon, n, bits_per_key));
      const double paid = static_cast<double>(n) * bits_per_key / 8;
      EXPECT_NEAR(static_cast<double>(BytesOf(shape)), paid, 100);
      EXPECT_EQ(shape.num_probes, filter::kBlockedRow.num_probes(bits_per_key));
    }
    // Blocks of rows have a field of three bytes.
    const FilterShape most = ShapeFor(kMaxRibbonKeys, bits_per_key);
    EXPECT_LT(most.row_blocks, 1u << 24);
    EXPECT_GT(uint64_t{most.row_blocks} * 128, kMaxRibbonKeys);
    EXPECT_LT(most.payload_bytes(), uint64_t{1} << 32);
  }
  for (const uint64_t n : {uint64_t{1} << 63, UINT64_MAX}) {
    EXPECT_GT(ShapeFor(n, 10).payload_bytes(), uint64_t{1} << 60) << "nothing wraps";
  }
}

// Whatever has the lower rate is written: no other filter of the same bytes is better.
TEST(RibbonSizeTest, NoBloomFilterOfTheSameBytesIsBetter) {
  std::vector<uint64_t> numbers = {65000, 65535, 65536, 70000, 200000};
  for (uint64_t n = 1; n < 3000; n += 1 + n / 23) numbers.push_back(n);
  for (uint64_t n = 240; n < 600; n += 7) numbers.push_back(n);
  size_t num_flat = 0, num_ribbon = 0;
  for (const uint64_t n : numbers) {
    for (double bits_per_key = 1; bits_per_key < 36;
         bits_per_key += bits_per_key < 4 ? 0.23 : 1.7) {
      const FilterShape shape = ShapeFor(n, bits_per_key);
      const uint64_t num_bytes = BytesOf(shape) - filter::kTrailerBytes;
      const double bits =
          std::min(kMaxBitsPerKey, 8 * static_cast<double>(num_bytes) / static_cast<double>(n));
      const FilterShape flat = FilterShape::Flat(num_bytes, filter::kFlatRow.num_probes(bits));
      const FilterShape blocked = FilterShape::Blocked(std::max<uint64_t>(num_bytes / 64, 1),
                                                       filter::kBlockedRow.num_probes(bits));
      const double rate = filter::ExactShapeRate(shape, n);
      ++(shape.layout == Layout::kFlat ? num_flat : num_ribbon);
      ASSERT_TRUE(shape.layout == Layout::kFlat || shape.layout == Layout::kRibbon);
      // A small Ribbon filter's rate is known to a few percent.
      EXPECT_LE(rate, 1.04 * filter::ExactShapeRate(flat, n)) << n << ", " << bits_per_key;
      if (num_bytes >= 64) {
        EXPECT_LE(rate, 1.04 * filter::ExactShapeRate(blocked, n)) << n << ", " << bits_per_key;
      }
      if (shape.layout == Layout::kRibbon) continue;
      // Nor is a Ribbon filter, where flat ones are written.
      const auto blocks =
          static_cast<uint32_t>(std::max<uint64_t>(2, n < 248 ? 2 : (n * 33 / 32 + 127) / 128));
      const uint64_t segments = std::min<uint64_t>(num_bytes / 16, 32 * uint64_t{blocks});
      EXPECT_LE(rate, 1.25 * filter::ExactShapeRate(FilterShape::Ribbon(segments, blocks), n))
          << n << ", " << bits_per_key;
    }
  }
  EXPECT_GT(num_flat, 500u);
  EXPECT_GT(num_ribbon, 500u);
}

// ---- Keys.

TEST(RibbonFilterTest, NeitherOrderNorThreadsChangeTheBytes) {
  for (const size_t n : {300, 5000, 200000}) {
    if (n > 5000 && kIsSlow) continue;
    std::vector<uint64_t> hashes = RandomHashes(n, n);
    const std::string expected = Build(hashes, 7.1);
    std::mt19937_64 random(n);
    for (int order = 0; order < 3; ++order) {
      if (order == 0) std::sort(hashes.begin(), hashes.end());
      if (order == 1) std::reverse(hashes.begin(), hashes.end());
      if (order == 2) std::shuffle(hashes.begin(), hashes.end(), random);
      for (const int threads : {1, 2, 8}) {
        FilterBuilder builder(Options(7.1));
        builder.AddHashes(hashes.size(), hashes.data());
        EXPECT_TRUE(builder.Finish(threads) == expected) << order << ", " << threads;
      }
    }
  }
}

TEST(RibbonFilterTest, BuildersOfSeveralThreadsAreJoined) {
  FilterBuilder one(Options(7.1, 5)), all(Options(10, 5)), part(Options(7.1, 5));
  for (int i = 0; i < 20000; ++i) one.AddKey(std::to_string(i));
  for (int first = 15000; first >= 0; first -= 5000) {
    for (int i = first; i < first + 5000; ++i) part.AddKey(std::to_string(i));
    ASSERT_TRUE(all.TakeKeysFrom(&part));
    EXPECT_EQ(part.num_keys(), 0u);
    EXPECT_EQ(part.FinishedBytes(), filter::kTrailerBytes);
  }
  ASSERT_TRUE(part.TakeKeysFrom(&all));
  EXPECT_EQ(part.FinishedBytes(), one.FinishedBytes());
  EXPECT_TRUE(part.Finish() == one.Finish());
  FilterBuilder seeded(Options(7.1, 6)), blocked({Format::kBlocked, 7.1, 5});
  seeded.AddKey("a");
  blocked.AddKey("a");
  EXPECT_FALSE(all.TakeKeysFrom(&seeded));
  EXPECT_FALSE(all.TakeKeysFrom(&blocked));
  EXPECT_EQ(seeded.num_keys() + blocked.num_keys(), 2u);
}

// A builder goes on after a filter without a solution.
TEST(RibbonFilterTest, ABuilderWritesOneFilterAfterAnother) {
  FilterBuilder builder(Options(9));
  const std::vector<uint64_t> easy = RandomHashes(400, 1), hard = HashesWithoutSolution(400);
  const std::string expected[] = {Build(easy, 9), Build(hard, 9)};
  for (int i = 0; i < 6; ++i) {
    const std::vector<uint64_t>& hashes = i % 2 == 0 ? easy : hard;
    builder.AddHashes(hashes.size(), hashes.data());
    EXPECT_TRUE(builder.Finish() == expected[i % 2]) << i;
    EXPECT_EQ(builder.error(), "");
  }
}

// The builder cannot fail: whatever the hashes are, none is lost.
TEST(RibbonFilterTest, HardHashSetsLoseNothing) {
  std::mt19937_64 random(41);
  const std::function<uint64_t(uint64_t)> sets[] = {
      [](uint64_t i) { return i; },
      [](uint64_t i) { return ~i; },
      [](uint64_t i) { return i << 40; },
      [](uint64_t) { return 0x1234567890abcdef; },          // one hash, n times
      [](uint64_t i) { return i % 2; },                     // two, in turn
      [](uint64_t i) { return (i % 7) << 61 | (i % 13); },  // clusters
      [](uint64_t i) { return uint64_t{1} << (i % 64); },   // single bits
      [&](uint64_t) { return random() % 1000; },
      [&](uint64_t) { return random(); }};
  for (const double bits_per_key : {1.0, 3.0, 7.1, 24.0}) {
    for (const size_t n : {1, 2, 63, 64, 65, 249, 300, 5000, 70000}) {
      if (n > 5000 && (kIsSlow || bits_per_key != 7.1)) continue;
      for (const auto& hash_of : sets) {
        std::vector<uint64_t> hashes(n);
        for (size_t i = 0; i < n; ++i) hashes[i] = hash_of(i);
        EXPECT_EQ(NumMatches(Build(hashes, bits_per_key), hashes), n)
            << bits_per_key << " bits, " << n << " hashes, set " << &hash_of - sets;
      }
    }
  }
}

// Equal equations count as one.
TEST(RibbonFilterTest, OneHashManyTimesStillRejectsOthers) {
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; i < 100000; ++i) hashes.push_back(0x8000000000000001 + i % 2);
  const std::string filter = Build(hashes, 7.1);
  EXPECT_EQ(LayoutOf(filter), Layout::kRibbon);
  EXPECT_EQ(NumMatches(filter, hashes), hashes.size());
  EXPECT_LT(NumMatches(filter, RandomHashes(100000, 1)), 3000u);
}

// Chosen keys end in a filter all the same, in a time that 32 seeds bound.
TEST(RibbonFilterTest, ManyHashesWithoutASolutionTakeBoundedTime) {
  const size_t n = kIsSlow ? 10000 : 40000;
  std::vector<uint64_t> hashes = HashesWithoutSolution(2000);
  const std::vector<uint64_t> others = RandomHashes(n - hashes.size(), 3);
  hashes.insert(hashes.end(), others.begin(), others.end());
  // The equations of the chosen ones contradict each other also among more rows.
  const std::string filter = Build(hashes, 7.1);
  EXPECT_EQ(LayoutOf(filter), Layout::kBlocked);
  EXPECT_EQ(NumMatches(filter, hashes), hashes.size());
}

// A filter whose size is limited: far more keys than its columns are for.
TEST(RibbonFilterTest, LimitedFiltersLoseNothing) {
  for (const uint64_t max_bytes : {uint64_t{1}, uint64_t{21}, uint64_t{64}, uint64_t{640}}) {
    for (const int num_keys : {300, 5000}) {
      filter::FilterWriter writer(Options(10));
      for (int i = 0; i < num_keys; ++i) writer.AddKey(std::to_string(i));
      const FilterShape shape = ShapeFor(writer.num_keys(), 10, max_bytes);
      EXPECT_LE(shape.payload_bytes(), std::max<uint64_t>(max_bytes, 21));
      std::string bytes(BytesOf(shape), 'x');
      writer.FinishTo(shape, bytes.data());
      const FilterView view = FilterView::Open(bytes);
      EXPECT_FALSE(view.AlwaysMatches());
      for (int i = 0; i < num_keys; ++i) ASSERT_TRUE(view.MayMatch(std::to_string(i)));
    }
  }
}

}  // namespace
}  // namespace bloomline::tests::ribbon_filter_test
