// Compact blocks of every arrangement: every kernel solves and answers as the portable one, byte
// for byte, and no key is lost.
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "src/filter/bits/compact_block.h"
#include "src/filter/layouts/compact/solver/solve.h"
#include "src/filter/table/kernel_table.h"
#include "tests/support/each_kernel.h"
#include "tests/support/guarded_bytes.h"

namespace bloomline::kernels::compact_kernel_test {
namespace {

using tests::HashesWithEdges;
using tests::RandomHashes;

struct Solved {
  bool solved;
  std::string block;
};

Solved Solve(const Kernel& kernel, unsigned arrangement, const std::vector<uint64_t>& hashes) {
  static tests::GuardedBytes room(64);
  static tests::GuardedBytes hash_room(8 * kMaxCompactSlots);
  const unsigned block_bytes = kArrangements[arrangement].block_bytes;
  char* const block = room.RoomAtEnd(block_bytes);
  std::fill(block, block + block_bytes, '\x5A');
  auto* const keys = reinterpret_cast<uint64_t*>(hash_room.RoomAtEnd(8 * hashes.size()));
  std::copy(hashes.begin(), hashes.end(), keys);
  const bool solved = kernel.compact.solve(arrangement, keys, hashes.size(), block);
  return {solved, std::string(block, block_bytes)};
}

class CompactKernelTest : public tests::EachKernelTest {
 protected:
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

void SetHeader(const Arrangement& arrangement, unsigned code, unsigned attempt, char* block) {
  char* const last = block + arrangement.block_bytes - 8;
  const uint64_t rest = LoadLittleEndian64(last) & OnesBelow64(52);
  StoreLittleEndian64(rest | HeaderBits(code, attempt), last);
}

// Every number of keys, repeated ones among them.
TEST_P(CompactKernelTest, SolvesAsPortableAndLosesNoKey) {
  tests::GuardedBytes guarded(4096);
  const std::vector<uint64_t> missing = HashesWithEdges(70, 51);
  std::set<unsigned> attempts, codes;
  int unsolved = 0;
  for (uint32_t arrangement = 0; arrangement < kNumArrangements; ++arrangement) {
    for (size_t i = 0; i < 4 * kMaxCompactSlots; ++i) {
      const size_t n = i / 4 + 1;
      SCOPED_TRACE(testing::Message() << "arrangement " << arrangement << ", " << n << " keys");
      std::vector<uint64_t> hashes = HashesWithEdges(n, i * 10 + arrangement);
      if (n > 20 && i % 3 == 0) hashes[7] = hashes[17];
      const auto [solved, block] = Solve(kernel(), arrangement, hashes);
      const Solved expected = Solve(portable(), arrangement, hashes);
      ASSERT_EQ(expected.solved, solved);
      ASSERT_EQ(expected.block, block);
      if (!solved) {
        ++unsolved;
        continue;
      }
      const unsigned header = LoadLittleEndian16(block.data() + block.size() - 2);
      ASSERT_LE(HeaderCode(header), kMaxSlotsCode);
      ASSERT_GE(kMinCompactSlots + HeaderCode(header), n);
      attempts.insert(HeaderAttempt(header));
      codes.insert(HeaderCode(header));
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

// Random bytes under every header.
TEST_P(CompactKernelTest, AnswersAnyBlockAsPortable) {
  tests::GuardedBytes guarded(4096);
  std::mt19937_64 random(52);
  const std::vector<uint64_t> queries = HashesWithEdges(40, 53);
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

// A block with one bit matches a hash whose fingerprint is 0 if the hash has no coefficient there,
// or does not use the bit's column.
TEST_P(CompactKernelTest, AnswersEachBitOfABlockAsPortable) {
  std::vector<uint64_t> queries = HashesWithEdges(6, 54);
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

// In batches, the blocks of keys have different slots, attempts and kinds.
TEST_P(CompactKernelTest, AnswersBatchesAsOneByOne) {
  constexpr unsigned kLogBlocks = 6;
  std::mt19937_64 random(57);
  for (uint32_t arrangement = 0; arrangement < kNumArrangements; ++arrangement) {
    const Arrangement& a = kArrangements[arrangement];
    std::string bytes;
    std::vector<uint64_t> stored;
    for (uint64_t i = 0; i < 1 << kLogBlocks; ++i) {
      // The block of a hash is in its upper bits.
      std::vector<uint64_t> hashes =
          RandomHashes(1 + random() % std::min(a.max_slots() + 20, kMaxCompactSlots), random());
      for (uint64_t& hash : hashes) hash = i << (64 - kLogBlocks) | hash >> kLogBlocks;
      auto [solved, block] = Solve(portable(), arrangement, hashes);
      if (i % 8 != 0 && solved) {
        stored.insert(stored.end(), hashes.begin(), hashes.end());
      } else {  // any bits; some blocks are Bloom filters
        for (char& byte : block) byte = static_cast<char>(random() & 0xFF);
        SetHeader(a, i % 16 == 0 ? kBloomCode : static_cast<unsigned>(random() % 128),
                  static_cast<unsigned>(random() % 32), block.data());
      }
      bytes += block;
    }
    ASSERT_GT(stored.size(), 1000u);
    const CompactFilter filter{bytes.data(), 1 << kLogBlocks, 0};
    for (const uint64_t hash : stored) {
      ASSERT_TRUE(portable().compact.may_match[arrangement](filter, hash));
    }
    for (int round = 0; round < 5; ++round) {
      tests::ExpectBatchesAnswerAs(
          [&](uint64_t hash) { return portable().compact.may_match[arrangement](filter, hash); },
          [&](size_t n, const uint64_t* hashes, bool* answers) {
            kernel().compact.may_match_many[arrangement](filter, n, hashes, answers);
          },
          stored, &random);
      ASSERT_FALSE(HasFailure()) << "arrangement " << arrangement;
    }
  }
}

BLOOMLINE_WITH_EACH_KERNEL(CompactKernelTest);

// Every kernel's solver. Counts the blocks that had a solution.
class AllKernelsSolve {
 public:
  void operator()(unsigned arrangement, const std::vector<uint64_t>& hashes) {
    const Kernel& portable = **AllKernels().begin();
    const Solved expected = Solve(portable, arrangement, hashes);
    num_solved_ += expected.solved ? 1 : 0;
    if (expected.solved) {
      const CompactFilter filter{expected.block.data(), 1, 0};
      for (const uint64_t hash : hashes) {
        ASSERT_TRUE(portable.compact.may_match[arrangement](filter, hash)) << Case(hashes);
      }
    } else {
      ASSERT_EQ(std::string(expected.block.size(), '\x5A'), expected.block) << Case(hashes);
    }
    for (const Kernel* kernel : tests::SupportedKernels()) {
      const Solved actual = Solve(*kernel, arrangement, hashes);
      ASSERT_EQ(expected.solved, actual.solved)
          << kernel->name << ' ' << arrangement << Case(hashes);
      ASSERT_EQ(expected.block, actual.block) << kernel->name << ' ' << arrangement << Case(hashes);
    }
  }

  size_t num_solved() const { return num_solved_; }

 private:
  static std::string Case(const std::vector<uint64_t>& hashes) {
    return ", " + std::to_string(hashes.size()) + " keys";
  }
  size_t num_solved_ = 0;
};

// As many as in filters of the usual sizes, so that rare cases come, too.
TEST(CompactSolverTest, ManyBlocks) {
  std::mt19937_64 random(2);
  AllKernelsSolve solve;
  for (size_t i = 0; i < 2000; ++i) {
    ASSERT_NO_FATAL_FAILURE(solve(3, RandomHashes(50 + i % 50, random())));
    ASSERT_NO_FATAL_FAILURE(solve(1, RandomHashes(25 + i % 30, random())));
  }
  EXPECT_EQ(4000u, solve.num_solved());
}

TEST(CompactSolverTest, RepeatedHashes) {
  std::mt19937_64 random(3);
  AllKernelsSolve solve;
  for (size_t i = 0; i < 400; ++i) {
    std::vector<uint64_t> hashes = RandomHashes(1 + random() % 100, random());
    const size_t num_different = hashes.size();
    const size_t num_repeated = 1 + random() % (kMaxCompactSlots - num_different);
    for (size_t j = 0; j < num_repeated; ++j) {
      hashes.push_back(hashes[random() % num_different]);
    }
    for (size_t j = hashes.size(); j > 1; --j) std::swap(hashes[j - 1], hashes[random() % j]);
    ASSERT_NO_FATAL_FAILURE(solve(static_cast<unsigned>(i % 4 + 2), hashes));
  }
  EXPECT_GT(solve.num_solved(), 300u);
  for (size_t n = 0; n <= kMaxCompactSlots; ++n) {
    ASSERT_NO_FATAL_FAILURE(solve(2, std::vector<uint64_t>(n, 0)));
    ASSERT_NO_FATAL_FAILURE(solve(4, std::vector<uint64_t>(n, 0xFEDCBA9876543210)));
  }
}

// Found by fuzzing: among these are equations that are sums of others. One order had a solution,
// the other a Bloom block.
TEST(CompactSolverTest, SumsOfOtherEquationsInAnyOrder) {
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; i < 112; ++i) hashes.push_back((0xf7f7f7f7 + i) << 8);
  hashes.push_back(0x200000f7f7f83800);
  hashes.push_back(0x000000aa1f2e0200);
  std::vector<uint64_t> reversed(hashes.rbegin(), hashes.rend());
  for (const Kernel* kernel : tests::SupportedKernels()) {
    const Solved expected = Solve(*kernel, 5, hashes);
    const Solved found = Solve(*kernel, 5, reversed);
    EXPECT_TRUE(expected.solved && found.solved) << kernel->name;
    EXPECT_EQ(expected.block, found.block) << kernel->name;
  }
}

TEST(CompactSolverTest, EqualFingerprintsAndSelectors) {
  std::mt19937_64 random(4);
  AllKernelsSolve solve;
  for (size_t i = 0; i < 600; ++i) {
    std::vector<uint64_t> hashes = RandomHashes(40 + i % 70, random());
    for (uint64_t& hash : hashes)
      hash = hash >> 32 << 32 | (i % 3 == 0 ? 0 : i % 3 == 1 ? 0xFFFFFFFF : 0xFF000000);
    ASSERT_NO_FATAL_FAILURE(solve(static_cast<unsigned>(i % kNumArrangements), hashes));
  }
}

// Keys that somebody chose: none of the first 64 has a certain slot, or none at all has it.
TEST(CompactSolverTest, KeysWithoutASlot) {
  std::mt19937_64 random(5);
  AllKernelsSolve solve;
  for (size_t i = 0; i < 500; ++i) {
    const unsigned slot = static_cast<unsigned>(i % 70);
    const size_t with_slot = random() % 40;
    std::vector<uint64_t> hashes;
    while (hashes.size() < 64 + with_slot) {
      const uint64_t hash = random();
      const CompactSlots slots = MakeCompactKey(hash).slots;
      const bool has =
          ((slot < kWordSlots ? slots.word >> slot : slots.field >> (slot - kWordSlots)) & 1) != 0;
      if (!has || hashes.size() >= 64) hashes.push_back(hash);
    }
    if (i % 3 == 0) hashes.resize(30 + i % 35);
    ASSERT_NO_FATAL_FAILURE(solve(static_cast<unsigned>(2 + i % 4), hashes));
  }
  EXPECT_GT(solve.num_solved(), 400u);
}

// Different hashes whose equations, with everything that a solver keeps of them, add up to zero.
std::vector<uint64_t> DependentHashes(std::mt19937_64* random, unsigned least_slots) {
  constexpr size_t kMost = 160;
  using Equation = std::bitset<128 + kMost>;  // and which hashes it is the sum of
  const SecondWord second = SecondWordFor(least_slots);
  const unsigned num_columns = kArrangements[2].payload_bits() / least_slots;
  std::vector<uint64_t> hashes;
  std::vector<Equation> reduced;
  for (;;) {
    hashes.push_back((*random)());
    const CompactKey key = MakeCompactKey(hashes.back());
    const uint64_t window = key.variable >> kFirstAttempt & OnesBelow64(WindowBits(second));
    const uint64_t second_word = (key.slots.field & OnesBelow64(second.field_slots)) |
                                 window << second.field_slots |
                                 (hashes.back() & OnesBelow64(num_columns)) << second.right_shift;
    Equation equation(key.slots.word);
    equation = (equation << 64 | Equation(second_word)) << kMost;
    equation.set(hashes.size() - 1);
    for (const Equation& other : reduced) {
      size_t lead = other.size() - 1;
      while (!other[lead]) --lead;
      if (equation[lead]) equation ^= other;
    }
    if ((equation >> kMost).any()) {
      reduced.push_back(equation);
      continue;
    }
    std::vector<uint64_t> sum;
    for (size_t i = 0; i < hashes.size(); ++i) {
      if (equation[i]) sum.push_back(hashes[i]);
    }
    return sum;
  }
}

TEST(CompactSolverTest, DependentEquations) {
  std::mt19937_64 random(6);
  AllKernelsSolve solve;
  size_t num_blocks = 0;
  for (size_t i = 0; i < 100; ++i) {
    const size_t least = i % 2 == 0 ? 50 : 65;
    std::vector<uint64_t> hashes = DependentHashes(&random, static_cast<unsigned>(least));
    if (hashes.size() < least || hashes.size() > (least == 50 ? 64 : 75)) continue;
    // Alone, and with others before or after them.
    for (size_t others = 0; others < 8; ++others) {
      ++num_blocks;
      ASSERT_NO_FATAL_FAILURE(solve(static_cast<unsigned>(2 + i % 4), hashes));
      hashes.insert(i % 4 < 2 ? hashes.begin() : hashes.end(), random());
    }
  }
  EXPECT_GT(num_blocks, 200u);
}

}  // namespace
}  // namespace bloomline::kernels::compact_kernel_test
