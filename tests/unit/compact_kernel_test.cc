// Compact blocks of every arrangement: every kernel against the portable one, and no key lost.
#include "src/filter/kernels/compact/compact_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "src/filter/kernels/compact/compact_block.h"
#include "src/filter/kernels/kernel.h"
#include "tests/support/guarded_bytes.h"

namespace bloomline::kernels {
namespace {

class CompactKernelTest : public testing::TestWithParam<size_t> {
 protected:
  const Kernel& kernel() const { return *AllKernels().kernels[GetParam()]; }
  const Kernel& portable() const { return *AllKernels().kernels[0]; }
  void SetUp() override {
    if (!kernel().supported()) GTEST_SKIP() << kernel().name << ": not supported by this machine";
  }

  // A block, or none where there is no solution.
  static std::string Solve(const Kernel& with, uint32_t arrangement,
                           const std::vector<uint64_t>& hashes) {
    const size_t block_bytes = kArrangements[arrangement].block_bytes;
    // Exact and not aligned, so that a sanitizer sees every byte too many.
    const std::unique_ptr<char[]> memory(new char[block_bytes + 8]());
    const bool solved =
        with.compact.solve(arrangement, hashes.data(), hashes.size(), memory.get() + 8);
    const std::string block(memory.get() + 8, block_bytes);
    EXPECT_TRUE(solved || block == std::string(block_bytes, '\0')) << "written, but not solved";
    return solved ? block : "";
  }

  // The kernel's answers, single and batched, are the portable one's. Returns how many match.
  size_t CountMatches(uint32_t arrangement, const CompactFilter& filter,
                      const std::vector<uint64_t>& queries) const {
    const std::unique_ptr<bool[]> many(new bool[queries.size()]);
    const auto one = kernel().compact.may_match[arrangement];
    kernel().compact.may_match_many[arrangement](filter, queries.size(), queries.data(),
                                                 many.get());
    size_t matches = 0;
    for (size_t i = 0; i < queries.size(); ++i) {
      const bool expected = portable().compact.may_match[arrangement](filter, queries[i]);
      if (one(filter, queries[i]) != expected) ADD_FAILURE() << "query " << i << ": " << expected;
      if (many[i] != expected) ADD_FAILURE() << "query " << i << " of many: " << expected;
      matches += expected;
    }
    return matches;
  }
};

std::vector<uint64_t> Hashes(size_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> hashes(n);
  for (uint64_t& hash : hashes) hash = random();
  const uint64_t edges[] = {0, 1, ~0ull, 1ull << 63, 0xFFFFFFFF, 0xFFFFFFFF00000000};
  for (size_t i = 0; i < n && i < std::size(edges); ++i) hashes[i] = edges[i];
  return hashes;
}

void SetHeader(const Arrangement& arrangement, unsigned code, unsigned attempt, char* block) {
  char* const last = block + arrangement.block_bytes - 8;
  const uint64_t rest = LoadLittleEndian64(last) & OnesBelow64(52);
  StoreLittleEndian64(rest | HeaderBits(code, attempt), last);
}

// Every number of keys, repeated ones among them.
TEST_P(CompactKernelTest, SolvesAsPortableAndLosesNoKey) {
  tests::GuardedBytes guarded(4096);
  const std::vector<uint64_t> missing = Hashes(70, 51);
  std::set<unsigned> attempts, codes;
  int unsolved = 0;
  for (uint32_t arrangement = 0; arrangement < kNumArrangements; ++arrangement) {
    for (size_t i = 0; i < 4 * kMaxCompactSlots; ++i) {
      const size_t n = i / 4 + 1;
      SCOPED_TRACE(testing::Message() << "arrangement " << arrangement << ", " << n << " keys");
      std::vector<uint64_t> hashes = Hashes(n, i * 10 + arrangement);
      if (n > 20 && i % 3 == 0) hashes[7] = hashes[17];
      const std::string block = Solve(kernel(), arrangement, hashes);
      ASSERT_EQ(Solve(portable(), arrangement, hashes), block);
      if (block.empty()) {
        ++unsolved;
        continue;
      }
      const unsigned header = LoadLittleEndian16(block.data() + block.size() - 2);
      ASSERT_LE(CodeOf(header), kMaxSlotsCode);
      ASSERT_GE(kMinCompactSlots + CodeOf(header), n);
      attempts.insert(AttemptOf(header));
      codes.insert(CodeOf(header));
      std::vector<uint64_t> queries = hashes;
      queries.insert(queries.end(), missing.begin(), missing.end());
      for (const bool at_end : {true, false}) {
        const std::string_view bytes = at_end ? guarded.AtEnd(block) : guarded.AtStart(block);
        const CompactFilter filter{bytes.data(), 1, 0};
        for (const uint64_t hash : hashes) {
          ASSERT_TRUE(portable().compact.may_match[arrangement](filter, hash)) << "a key is lost";
        }
        CountMatches(arrangement, filter, queries);
      }
    }
  }
  EXPECT_EQ(attempts.size(), kLastAttempt + 1 - kFirstAttempt);
  EXPECT_EQ(*attempts.begin(), kFirstAttempt);
  EXPECT_GT(codes.size(), kMaxSlotsCode - 3);
  EXPECT_LT(unsolved, 60);
}

// Nor does the order of the keys matter.
TEST_P(CompactKernelTest, SolvesWithARepeatedHashWhereverItIs) {
  for (size_t n = 2; n <= 80; ++n) {
    const auto arrangement = static_cast<uint32_t>(n % kNumArrangements);
    for (size_t copy = 0; copy + 1 < n; copy += n / 40 + 1) {
      std::vector<uint64_t> hashes = Hashes(n, 60 + n);
      hashes.back() = hashes[copy];
      const std::string block = Solve(kernel(), arrangement, hashes);
      std::swap(hashes[0], hashes.back());
      std::reverse(hashes.begin() + 1, hashes.end());
      ASSERT_FALSE(block.empty()) << n << " keys, copy of " << copy;
      ASSERT_EQ(block, Solve(kernel(), arrangement, hashes)) << n << " keys, copy of " << copy;
    }
  }
}

// Random bytes under every header.
TEST_P(CompactKernelTest, AnswersAnyBlockAsPortable) {
  tests::GuardedBytes guarded(4096);
  std::mt19937_64 random(52);
  const std::vector<uint64_t> queries = Hashes(40, 53);
  for (uint32_t arrangement = 0; arrangement < kNumArrangements; ++arrangement) {
    const Arrangement& a = kArrangements[arrangement];
    size_t matches = 0;
    for (unsigned code = 0; code < 128; ++code) {
      for (unsigned attempt = 0; attempt < 32; ++attempt) {
        std::string bytes(3 * a.block_bytes, '\0');
        for (char& byte : bytes) byte = static_cast<char>(random() & 0xFF);
        for (size_t i = 0; i < 3; ++i) {
          SetHeader(a, code, attempt, bytes.data() + i * a.block_bytes);
        }
        const std::string_view blocks =
            attempt % 2 == 0 ? guarded.AtEnd(bytes) : guarded.AtStart(bytes);
        matches += CountMatches(arrangement, {blocks.data(), 3, 0}, queries);
        ASSERT_FALSE(HasFailure())
            << "arrangement " << arrangement << ", code " << code << ", attempt " << attempt;
      }
    }
    EXPECT_GT(matches, 2000u);
  }
}

// Of hashes whose fingerprint is 0, a block with one bit matches those that have no coefficient
// there, or do not use the bit's column.
TEST_P(CompactKernelTest, AnswersEachBitOfABlockAsPortable) {
  std::vector<uint64_t> queries = Hashes(6, 54);
  for (uint64_t& hash : queries) hash &= ~uint64_t{0xFFFFFF};
  for (uint32_t arrangement = 0; arrangement < kNumArrangements; ++arrangement) {
    const Arrangement& a = kArrangements[arrangement];
    for (unsigned code = 0; code <= kMaxSlotsCode; ++code) {
      size_t matches = 0;
      for (unsigned bit = 0; bit < a.payload_bits(); ++bit) {
        std::string block(a.block_bytes, '\0');
        block[bit / 8] = static_cast<char>(1 << bit % 8);
        SetHeader(a, code, code % 32, block.data());
        matches += CountMatches(arrangement, {block.data(), 1, 0}, queries);
      }
      ASSERT_FALSE(HasFailure()) << "arrangement " << arrangement << ", code " << code;
      const size_t asked = queries.size() * a.payload_bits();
      ASSERT_GT(matches, asked / 4);
      ASSERT_LT(matches, asked * 9 / 10) << "arrangement " << arrangement << ", code " << code;
    }
  }
}

TEST_P(CompactKernelTest, AnswersNoKeysAtAll) {
  const std::string block(64, '\0');
  for (uint32_t arrangement = 0; arrangement < kNumArrangements; ++arrangement) {
    bool untouched = true;
    kernel().compact.may_match_many[arrangement]({block.data(), 1, 0}, 0, nullptr, &untouched);
    EXPECT_TRUE(untouched);
  }
}

INSTANTIATE_TEST_SUITE_P(AllKernels, CompactKernelTest,
                         testing::Range<size_t>(0, AllKernels().size), [](const auto& info) {
                           return std::string(AllKernels().kernels[info.param]->name);
                         });

}  // namespace
}  // namespace bloomline::kernels
