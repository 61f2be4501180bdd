// Every kernel against the portable one, and the choice among kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/cpu.h"
#include "src/filter/bits/bytes.h"
#include "src/filter/bits/hash.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/bits/small_set_block.h"
#include "src/filter/hash/batch_hasher.h"
#include "src/filter/stock/local_bloom.h"
#include "src/filter/stock/ribbon.h"
#include "src/filter/table/kernel_table.h"
#include "tests/support/each_kernel.h"
#include "tests/support/guarded_bytes.h"

namespace bloomline::kernels::kernel_test {
namespace {

using stock::LocalBloomKernel;
using tests::HashesWithEdges;

class KernelTest : public tests::EachKernelTest {};

// Memory of exactly `bytes` bytes at `offset` past a cache-line boundary, so that a sanitizer sees
// every byte too many.
struct Payload {
  Payload(uint64_t bytes, size_t offset)
      : memory(new char[bytes + offset]()), data(memory.get() + offset) {}
  std::unique_ptr<char[]> memory;
  char* data;
};

// `table` consists of pointers to functions and nothing else.
template <typename Table>
bool IsComplete(const Table& table) {
  using Function = void (*)();
  static_assert(sizeof(Table) % sizeof(Function) == 0);
  const Function none = nullptr;
  for (size_t at = 0; at < sizeof(Table); at += sizeof(Function)) {
    if (std::memcmp(reinterpret_cast<const char*>(&table) + at, &none, sizeof(none)) == 0) {
      return false;
    }
  }
  return true;
}

// Kernels of other machines, too. HashKernel's entry may be null: its comment.
TEST(KernelTableTest, HasEveryFunctionOfEveryKernel) {
  for (const Kernel* kernel : AllKernels()) {
    EXPECT_TRUE(IsComplete(kernel->blocked)) << kernel->name;
    EXPECT_TRUE(IsComplete(kernel->small_set)) << kernel->name;
    EXPECT_TRUE(IsComplete(kernel->stock)) << kernel->name;
  }
}

// In large filters, blocks are prefetched, and more keys are on their way at a time.
TEST_P(KernelTest, InsertsTheSameBlockedBitsAsPortable) {
  constexpr uint64_t kLarge = 2 * kCachedBytes / kBlockBytes;
  for (int k = 1; k <= 30; ++k) {
    for (const uint64_t num_blocks : {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{7},
                                      uint64_t{64}, uint64_t{1000}, kLarge}) {
      const bool is_large = num_blocks == kLarge;
      if (is_large && k % 8 > 1 && k != 6 && k != 30) continue;
      for (const size_t n : {size_t{0}, size_t{1}, kInsertAhead - 1, kInsertAhead, kInsertAhead + 1,
                             is_large ? 500 : num_blocks * 5 + 13}) {
        const std::vector<uint64_t> hashes = HashesWithEdges(n, n + static_cast<uint64_t>(k));
        const size_t num_bytes = num_blocks * kBlockBytes;
        Payload expected(num_bytes, 0);
        Payload actual(num_bytes, static_cast<size_t>(k) * 7 % 64);
        portable().blocked.insert_many({expected.data, num_blocks, k}, n, hashes.data());
        kernel().blocked.insert_many({actual.data, num_blocks, k}, n, hashes.data());
        ASSERT_EQ(std::memcmp(expected.data, actual.data, num_bytes), 0)
            << "k " << k << ", blocks " << num_blocks << ", keys " << n;
        for (const uint64_t hash : hashes) {
          ASSERT_TRUE(portable().blocked.may_match({actual.data, num_blocks, k}, hash));
        }
      }
    }
  }
}

// What insertion and single queries are called in bloomline's blocked filters, and in RocksDB's.
void Insert(const BlockedKernel& portable, const PayloadView& filter,
            const std::vector<uint64_t>& hashes) {
  portable.insert_many(filter, hashes.size(), hashes.data());
}
void Insert(const LocalBloomKernel&, const PayloadView& filter,
            const std::vector<uint64_t>& hashes) {
  for (const uint64_t hash : hashes) {  // as RocksDB's builder does
    char* const block = const_cast<char*>(stock::LocalBloomBlock(filter, hash));
    for (int j = 0; j < filter.num_probes; ++j) {
      SetBit(block, stock::LocalBloomBit(stock::LocalBloomProbeHash(hash), j));
    }
  }
}
std::vector<BlockedKernel::MayMatch> SingleQueries(const BlockedKernel& table, int k) {
  return {table.may_match, table.may_match_for(k)};
}
std::vector<LocalBloomKernel::MayMatch> SingleQueries(const LocalBloomKernel& table, int k) {
  return {table.may_match_for(k)};
}

// One by one, and in batches of all sizes.
template <typename Table>
void ExpectAnswersAsPortable(const Table& portable, const Table& table) {
  std::mt19937_64 random(57);
  for (int k = 1; k <= 30; ++k) {
    for (const uint64_t num_blocks : {1u, 3u, 50u}) {
      SCOPED_TRACE(testing::Message() << "k " << k << ", blocks " << num_blocks);
      const Payload blocks(num_blocks * kBlockBytes, static_cast<size_t>(k) * 11 % 64);
      const PayloadView filter{blocks.data, num_blocks, k};
      const std::vector<uint64_t> stored =
          HashesWithEdges(num_blocks * 20, 100 + static_cast<uint64_t>(k));
      Insert(portable, filter, stored);
      std::vector<uint64_t> queries = HashesWithEdges(5000, 200 + static_cast<uint64_t>(k));
      queries.insert(queries.end(), stored.begin(), stored.end());
      size_t matches = 0;
      for (const uint64_t hash : queries) {
        const bool expected = portable.may_match_for(k)(filter, hash);
        for (const auto may_match : SingleQueries(table, k)) {
          ASSERT_EQ(expected, may_match(filter, hash));
        }
        matches += expected;
      }
      ASSERT_GE(matches, stored.size());
      ASSERT_LT(matches, queries.size());
      tests::ExpectBatchesAnswerAs(
          [&](uint64_t hash) { return portable.may_match_for(k)(filter, hash); },
          [&](size_t n, const uint64_t* hashes, bool* answers) {
            table.may_match_many(filter, n, hashes, answers);
          },
          stored, &random);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_P(KernelTest, AnswersBlockedQueriesAsPortable) {
  ExpectAnswersAsPortable(portable().blocked, kernel().blocked);
}

TEST_P(KernelTest, AnswersBlockedQueriesInGivenBlocksAsPortable) {
  std::mt19937_64 random(58);
  int num_functions = 0;
  for (int k = 1; k <= 30; ++k) {
    SCOPED_TRACE(testing::Message() << "k " << k);
    const auto may_match_blocks = kernel().blocked.may_match_blocks_for(k);
    if (may_match_blocks == nullptr) continue;
    ++num_functions;
    const Payload blocks(50 * kBlockBytes, static_cast<size_t>(k) * 11 % 64);
    const PayloadView filter{blocks.data, 50, k};
    const std::vector<uint64_t> stored = HashesWithEdges(1000, 300 + static_cast<uint64_t>(k));
    Insert(portable().blocked, filter, stored);
    tests::ExpectBatchesAnswerAs(
        [&](uint64_t hash) { return portable().blocked.may_match_for(k)(filter, hash); },
        [&](size_t n, const uint64_t* hashes, bool* answers) {
          std::vector<const char*> places;
          for (size_t i = 0; i < n; ++i) places.push_back(BlockFor(filter, hashes[i]));
          may_match_blocks(places.data(), k, n, hashes, answers);
        },
        stored, &random);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_EQ(num_functions, kernel().name == std::string("avx512") ? 30
                           : kernel().name == std::string("avx2") ? 8
                                                                  : 0);
}

TEST_P(KernelTest, AnswersQueriesOfRocksDBsBloomFiltersAsPortable) {
  ExpectAnswersAsPortable(portable().stock.local_bloom, kernel().stock.local_bloom);
}

// Payloads between two pages that nobody may touch: at the end of the one, at the start of the
// other.
TEST_P(KernelTest, TouchesNoByteOutsideThePayload) {
  tests::GuardedBytes guarded(4096);
  const std::vector<uint64_t> hashes = HashesWithEdges(200, 23);
  const auto use = [&](std::string_view payload, int k) {
    const PayloadView blocked{payload.data(), payload.size() / kBlockBytes, k};
    bool may_match[200];
    kernel().blocked.add_many(blocked, hashes.size(), hashes.data(), may_match);
    kernel().blocked.insert_many(blocked, hashes.size(), hashes.data());
    kernel().blocked.may_match_many(blocked, hashes.size(), hashes.data(), may_match);
    for (size_t i = 0; i < hashes.size(); ++i) {
      ASSERT_TRUE(may_match[i] && kernel().blocked.may_match(blocked, hashes[i]));
    }
  };
  for (const size_t num_bytes : {64u, 128u, 4096u}) {
    for (const int k : {1, 6, 8, 11, 30}) {
      use(guarded.AtEnd(std::string(num_bytes, '\0')), k);
      use(guarded.AtStart(std::string(num_bytes, '\0')), k);
    }
  }
}

// A flat payload can be a single byte.
TEST(FlatTest, TouchesNoByteOutsideThePayload) {
  tests::GuardedBytes guarded(4096);
  const std::vector<uint64_t> hashes = HashesWithEdges(200, 23);
  const auto use = [&](std::string_view payload, int k) {
    const PayloadView flat{payload.data(), payload.size(), k};
    FlatInsertMany(flat, hashes.size(), hashes.data());
    for (const uint64_t hash : hashes) ASSERT_TRUE(FlatMayMatch(flat, hash));
  };
  for (size_t num_bytes = 1; num_bytes <= 4096; num_bytes += num_bytes < 300 ? 1 : 73) {
    const std::string zeros(num_bytes, '\0');
    for (const int k : {1, 7, 8, 11, 30}) {
      use(guarded.AtEnd(zeros), k);
      use(guarded.AtStart(zeros), k);
    }
  }
}

TEST_P(KernelTest, AddsTheSameBitsAsPortableAndSaysWhichAreNew) {
  for (int k = 1; k <= 30; ++k) {
    for (const uint64_t num_blocks : {1u, 2u, 7u, 200u}) {
      SCOPED_TRACE(testing::Message() << "k " << k << ", blocks " << num_blocks);
      const size_t num_bytes = num_blocks * kBlockBytes;
      const size_t n = static_cast<size_t>(num_blocks) * 30 + 13;
      std::vector<uint64_t> hashes = HashesWithEdges(n, 300 + static_cast<uint64_t>(k));
      for (size_t i = 20; i < n; i += 5) hashes[i] = hashes[i - 7];  // nothing new
      Payload inserted(num_bytes, 0);
      portable().blocked.insert_many({inserted.data, num_blocks, k}, n, hashes.data());
      Payload one_by_one(num_bytes, 16);
      const PayloadView filter{one_by_one.data, num_blocks, k};
      std::vector<bool> is_new;
      for (const uint64_t hash : hashes) {
        is_new.push_back(!portable().blocked.may_match(filter, hash));
        ASSERT_EQ(is_new.back(), kernel().blocked.add_for(k)(filter, hash));
      }
      EXPECT_TRUE(is_new[0]);
      EXPECT_FALSE(is_new[20]);
      Payload added(num_bytes, static_cast<size_t>(k) * 7 % 64);
      const std::unique_ptr<bool[]> added_new(new bool[n]);
      kernel().blocked.add_many({added.data, num_blocks, k}, n, hashes.data(), added_new.get());
      for (size_t i = 0; i < n; ++i) {
        ASSERT_EQ(is_new[i], added_new[i]) << i;
      }
      for (const char* bytes : {one_by_one.data, added.data}) {
        ASSERT_EQ(std::memcmp(inserted.data, bytes, num_bytes), 0);
      }
    }
  }
}

// A small set's block, or no attempt where there is no solution.
struct SolvedSmallSet {
  int attempt;
  std::string block;
};

SolvedSmallSet SolveSmallSetOf(const Kernel& kernel, const std::vector<uint64_t>& hashes,
                               unsigned num_attempts, uint32_t block_bytes) {
  Payload memory(block_bytes, block_bytes % 64);
  const int attempt =
      kernel.small_set.solve(hashes.data(), hashes.size(), num_attempts, block_bytes, memory.data);
  return {attempt, std::string(memory.data, block_bytes)};
}

// Every number of keys, repeated ones among them, with every way to divide a block.
TEST_P(KernelTest, SolvesSmallSetsAsPortableAndLosesNoKey) {
  tests::GuardedBytes guarded(4096);
  const std::vector<uint64_t> missing = HashesWithEdges(60, 71);
  int unsolved = 0;
  for (const uint32_t block_bytes : {8u, 9u, 13u, 27u, 31u, 32u, 33u, 45u, 57u, 63u, 64u}) {
    for (size_t n = 0; n <= small_set::kMaxBlockSlots; ++n) {
      SCOPED_TRACE(testing::Message() << n << " keys, " << block_bytes << " bytes");
      std::vector<uint64_t> hashes = HashesWithEdges(n, n * 100 + block_bytes);
      if (n > 20 && n % 3 == 0) hashes[5] = hashes[17];
      const unsigned num_attempts = n % 2 == 0 ? 16 : 4;
      const SolvedSmallSet expected =
          SolveSmallSetOf(portable(), hashes, num_attempts, block_bytes);
      const SolvedSmallSet actual = SolveSmallSetOf(kernel(), hashes, num_attempts, block_bytes);
      ASSERT_EQ(expected.attempt, actual.attempt);
      ASSERT_EQ(expected.block, actual.block);
      if (actual.attempt < 0) {
        ++unsolved;
        continue;
      }
      ASSERT_LT(actual.attempt, static_cast<int>(num_attempts));
      const auto first_attempt = static_cast<uint32_t>(actual.attempt) / 4 * 4;
      for (const bool at_end : {true, false}) {
        const char* const block =
            (at_end ? guarded.AtEnd(actual.block) : guarded.AtStart(actual.block)).data();
        const auto may_match = [&](const Kernel& k, uint64_t hash) {
          return k.small_set.may_match(block, block_bytes, first_attempt, hash);
        };
        for (const uint64_t hash : hashes) ASSERT_TRUE(may_match(kernel(), hash));
        for (const uint64_t hash : missing) {
          ASSERT_EQ(may_match(portable(), hash), may_match(kernel(), hash));
        }
      }
    }
  }
  EXPECT_LT(unsolved, 60);
}

// A repeated hash is no second equation, wherever in the block its copy is, and the order of hashes
// changes nothing.
TEST_P(KernelTest, SolvesSmallSetsWithARepeatedHash) {
  for (size_t n = 2; n <= 50; n += 3) {
    for (size_t copy = 0; copy + 1 < n; ++copy) {
      std::vector<uint64_t> hashes = HashesWithEdges(n, 60 + n);
      hashes.back() = hashes[copy];
      const SolvedSmallSet solved = SolveSmallSetOf(kernel(), hashes, 16, 45);
      ASSERT_GE(solved.attempt, 0) << n << " keys, copy of " << copy;
      EXPECT_LE(solved.block.back() & 63, static_cast<int>(n) + 4);
      std::reverse(hashes.begin(), hashes.end());
      const SolvedSmallSet reversed = SolveSmallSetOf(kernel(), hashes, 16, 45);
      ASSERT_EQ(solved.attempt, reversed.attempt);
      ASSERT_EQ(solved.block, reversed.block) << n << " keys, copy of " << copy;
    }
  }
}

// Blocks of any bytes: same answers, and no byte outside is read.
TEST_P(KernelTest, AnswersRandomSmallSetBlocksAsPortable) {
  tests::GuardedBytes guarded(4096);
  std::mt19937_64 random(72);
  int matches = 0;
  for (uint32_t block_bytes = 8; block_bytes <= 64; ++block_bytes) {
    for (unsigned header = 0; header < 256; ++header) {
      std::string bytes(block_bytes, '\0');
      for (char& byte : bytes) byte = static_cast<char>(random() & 0xFF);
      bytes.back() = static_cast<char>(header);
      const char* const block =
          (header % 3 == 0 ? guarded.AtEnd(bytes) : guarded.AtStart(bytes)).data();
      for (int i = 0; i < 12; ++i) {
        const uint64_t hash = random();
        const uint32_t first_attempt = static_cast<uint32_t>(i % 4) * 4;
        const bool expected =
            portable().small_set.may_match(block, block_bytes, first_attempt, hash);
        ASSERT_EQ(expected, kernel().small_set.may_match(block, block_bytes, first_attempt, hash))
            << block_bytes << " bytes, header " << header;
        ASSERT_TRUE(expected || header % 64 != small_set::kMatchAllSlots);
        matches += expected;
      }
    }
  }
  EXPECT_GT(matches, 5000);
}

// Keys have every length and number; each key ends where its memory does.
TEST_P(KernelTest, HashesShortKeysAsXxh3) {
  if (kernel().hash.short_keys == nullptr) GTEST_SKIP() << kernel().name << ": one by one";
  std::mt19937_64 random(1);
  for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, uint64_t{random()}}) {
    for (size_t size = 4; size <= 16; ++size) {
      for (size_t n = 1; n <= 40; ++n) {
        std::vector<std::unique_ptr<char[]>> memory;
        std::vector<const char*> keys;
        for (size_t i = 0; i < n; ++i) {
          memory.emplace_back(new char[size]);
          for (size_t j = 0; j < size; ++j) memory[i][j] = static_cast<char>(random());
          if (i < 2) std::fill(memory[i].get(), memory[i].get() + size, i == 0 ? 0 : -1);
          keys.push_back(memory[i].get());
        }
        std::vector<uint64_t> hashes(n + 1, 12345);
        kernel().hash.short_keys(keys.data(), n, size, seed, hashes.data());
        for (size_t i = 0; i < n; ++i) {
          ASSERT_EQ(hashes[i], XXH3_64bits_withSeed(keys[i], size, seed))
              << "key " << i << " of " << n << ", " << size << " bytes, seed " << seed;
        }
        ASSERT_EQ(hashes[n], 12345u) << n;
      }
    }
  }
}

TEST_P(KernelTest, HashesBatchesAsOneByOne) {
  std::mt19937_64 random(2);
  const uint64_t seed = random();
  HashKernel hash = kernel().hash;
  hash.is_faster = true;  // so that every CPU tests it
  const filter::BatchHasher batch_hasher(seed, hash);
  size_t batches = 0;
  for (size_t size = 0; size <= 20; ++size) {
    for (size_t n = 0; n <= kBatchKeys; ++n) {
      for (const bool mixed : {false, true}) {
        std::vector<std::string> keys;
        for (size_t i = 0; i < n; ++i) keys.push_back(std::string(size, static_cast<char>(i)));
        if (mixed && n > 0) keys[random() % n] += 'x';
        uint64_t hashes[kBatchKeys] = {};
        if (!batch_hasher.Hash(
                n, [&](size_t i) -> std::string_view { return keys[i]; }, hashes)) {
          continue;
        }
        ++batches;
        for (size_t i = 0; i < n; ++i)
          ASSERT_EQ(hashes[i], filter::Hash64(keys[i], seed)) << size << " bytes";
      }
    }
  }
  EXPECT_EQ(batches > 0, kernel().hash.short_keys != nullptr);
}

using stock::RibbonKey;
using stock::RibbonShape;
using stock::RibbonView;

// RocksDB's Ribbon filters by their definition: a key's row r is row r % 128 of its block or of the
// next.
bool ParityIsRight(const RibbonView& view, uint64_t hash, uint32_t column) {
  const RibbonKey key(view, view.shape.columns, hash);
  const uint64_t coefficients[2] = {(key.mixed ^ RibbonKey::kLowCoefficients) | 1, key.mixed};
  unsigned parity = key.fingerprint() >> column & 1;
  for (uint32_t i = 0; i < RibbonShape::kRowsPerBlock; ++i) {
    const uint32_t row = key.first_row + i;
    const char* const segment = (row < RibbonShape::kRowsPerBlock ? key.here : key.next) +
                                column * RibbonShape::kSegmentBytes;
    const unsigned bit = static_cast<unsigned char>(segment[row % 128 / 8]) >> row % 8;
    parity ^= static_cast<unsigned>(coefficients[i / 64] >> i % 64) & bit & 1;
  }
  return parity == 0;
}

// Flips the key's first row, whose coefficient is always set.
void FlipParity(const RibbonView& view, uint64_t hash, uint32_t column) {
  const RibbonKey key(view, view.shape.columns, hash);
  char* const byte =
      const_cast<char*>(key.here) + column * RibbonShape::kSegmentBytes + key.first_row / 8;
  *byte = static_cast<char>(*byte ^ 1 << key.first_row % 8);
}

TEST_P(KernelTest, AnswersRibbonQueriesByTheirDefinition) {
  std::mt19937_64 random(7);
  for (uint32_t columns = 1; columns <= RibbonShape::kMaxColumns; ++columns) {
    const auto may_match = kernel().stock.ribbon.may_match_for(columns);
    // The largest are not in the second-level cache, so batches prefetch.
    for (const uint32_t num_blocks : {2u, 3u, 20u, columns % 8 == 7 ? 3000u : 4u}) {
      for (const uint32_t missing : {0u, 1u, num_blocks - 1}) {
        // Exactly the bytes, so that a sanitizer sees every byte too many.
        const size_t num_bytes = (columns * num_blocks - missing) * RibbonShape::kSegmentBytes;
        const std::unique_ptr<char[]> bytes(new char[num_bytes]);
        for (size_t i = 0; i < num_bytes; ++i) bytes[i] = static_cast<char>(random());
        const RibbonView view{bytes.get(), RibbonShape(num_blocks, num_bytes),
                              RibbonView::RawSeed(static_cast<uint8_t>(random()))};
        ASSERT_EQ(view.shape.columns, columns);
        // With two blocks, one key in 129 begins with the last row, where no block follows.
        for (const uint64_t hash : HashesWithEdges(130, columns)) {
          const uint32_t present = RibbonKey(view, view.shape.columns, hash).columns;
          for (uint32_t i = 0; i < present; ++i) {
            if (!ParityIsRight(view, hash, i)) FlipParity(view, hash, i);
          }
          ASSERT_TRUE(may_match(view, hash)) << "columns " << columns << ", missing " << missing;
          if (present == 0) continue;
          const uint32_t wrong = static_cast<uint32_t>(random() % present);
          FlipParity(view, hash, wrong);
          ASSERT_FALSE(may_match(view, hash)) << "columns " << columns << ", missing " << missing;
        }
        const std::vector<uint64_t> hashes = HashesWithEdges(301, 99);
        const std::unique_ptr<bool[]> many(new bool[hashes.size()]);
        kernel().stock.ribbon.may_match_many(view, hashes.size(), hashes.data(), many.get());
        for (size_t i = 0; i < hashes.size(); ++i) {
          ASSERT_EQ(many[i], may_match(view, hashes[i])) << "columns " << columns;
          ASSERT_EQ(many[i], portable().stock.ribbon.may_match_for(columns)(view, hashes[i]));
        }
      }
    }
  }
}

BLOOMLINE_WITH_EACH_KERNEL(KernelTest);

// Without a choice being made.
std::string FastestName() { return tests::SupportedKernels().back()->name; }

TEST(DispatchTest, ActiveKernelIsTheLastSupportedOne) {
  if (std::getenv("BLOOMLINE_KERNEL") != nullptr) GTEST_SKIP() << "a kernel is forced from outside";
  EXPECT_EQ(FastestName(), ActiveKernelName());
}

TEST(DispatchTest, KernelsAreForcedByTheirNames) {
  const std::string before = ActiveKernelName();
  std::string error;
  ASSERT_TRUE(ForceKernel("portable", &error)) << error;
  EXPECT_STREQ(ActiveKernelName(), "portable");
  const std::vector<KernelInfo> kernels = Kernels();
  EXPECT_STREQ(kernels[0].name, "portable");
  EXPECT_TRUE(kernels[0].supported && kernels[0].active);
  ASSERT_TRUE(ForceKernel(before, nullptr));
  EXPECT_FALSE(ForceKernel("sse9", &error));
  EXPECT_NE(error.find("sse9"), std::string::npos) << error;
  EXPECT_NE(error.find("portable"), std::string::npos) << error;
}

// Long and strange ones are named as far as they fit.
TEST(DispatchDeathTest, UnknownNamesInTheEnvironmentAreOneLineAndTheFastestKernel) {
  const std::string fastest = FastestName();
  const std::pair<std::string, std::string> names_and_lines[] = {
      {"sse9", "'sse9' on this machine; valid names: portable[a-z0-9, ]*; using " + fastest},
      {std::string(100000, 'x'), "'[^\n]*portable.*"},
      {"%s%n", "'[^\n]*portable.*"},
      {" ", "'[^\n]*portable.*"}};
  for (const auto& [name, line] : names_and_lines) {
    // The choice is made once. Death tests run first and fork, so in the child it is still to be
    // made.
    EXPECT_EXIT(
        {
          setenv("BLOOMLINE_KERNEL", name.c_str(), 1);
          const bool is_fastest = ActiveKernelName() == fastest && ActiveKernelName() == fastest;
          std::exit(is_fastest && !KernelVariableError().empty() ? 0 : 1);
        },
        testing::ExitedWithCode(0), "^bloomline: BLOOMLINE_KERNEL: no kernel " + line + "\n$");
  }
}

#if defined(__x86_64__)
// Where __builtin_cpu_supports looks (libgcc and compiler-rt), so a CPU can be made up.
struct CpuModel {
  unsigned vendor, type, subtype, features;
};
extern "C" CpuModel __cpu_model;        // the compiler names it
extern "C" unsigned __cpu_features2[];  // features 32 to 63 in the first

TEST(DispatchTest, KernelsNeedEachOfTheirExtensionsAndNothingElse) {
  const unsigned real[2] = {__cpu_model.features, __cpu_features2[0]};
  const auto make_up = [](uint64_t features) {
    __cpu_model.features = static_cast<unsigned>(features);
    __cpu_features2[0] = static_cast<unsigned>(features >> 32);
  };
  for (const Kernel* kernel : AllKernels()) {
    const std::string names = kernel->extensions;
    const auto num_names = names.empty() ? 0 : 1 + std::count(names.begin(), names.end(), ',');
    make_up(~uint64_t{0});
    EXPECT_TRUE(kernel->supported()) << kernel->name << " on a CPU that has everything";
    int num_needed = 0;
    for (unsigned bit = 0; bit < 64; ++bit) {
      make_up(~(uint64_t{1} << bit));
      num_needed += kernel->supported() ? 0 : 1;
    }
    EXPECT_EQ(num_needed, num_names) << kernel->name << " needs " << names;
  }
  make_up(real[0] | uint64_t{real[1]} << 32);
}
#endif  // defined(__x86_64__)

}  // namespace
}  // namespace bloomline::kernels::kernel_test
