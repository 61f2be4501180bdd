// Batches of all sizes and of all shares of stored keys: every kernel answers as the portable one
// answers key by key, and writes no answer too many. In compact filters, the blocks of a batch have
// different slots, attempts and kinds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "src/filter/bits/compact_block.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/layouts/kernel.h"
#include "tests/support/each_kernel.h"

namespace bloomline::kernels {
namespace {

constexpr size_t kMaxBatch = 2 * kBatchKeys + 5;

class BatchKernelTest : public tests::EachKernelTest {
 protected:
  // answer_many(n, hashes, answers) for batches of every size, in each of which about `percent` of
  // the keys are stored. answer_one is the specification.
  template <typename Many, typename One>
  void ExpectSameAnswers(const std::vector<uint64_t>& stored, Many answer_many, One answer_one) {
    for (const unsigned percent : {0u, 10u, 24u, 26u, 35u, 50u, 100u}) {
      for (size_t n = 0; n <= kMaxBatch; ++n) {
        std::vector<uint64_t> hashes(n);
        for (uint64_t& hash : hashes) {
          hash = random_() % 100 < percent ? stored[random_() % stored.size()] : random_();
        }
        std::vector<unsigned char> answers(n + kBatchKeys, 2);
        answer_many(n, hashes.data(), reinterpret_cast<bool*>(answers.data()));
        for (size_t i = 0; i < n; ++i) {
          ASSERT_EQ(answer_one(hashes[i]) ? 1 : 0, answers[i])
              << "key " << i << " of " << n << ", " << percent << " % stored";
        }
        for (size_t i = n; i < answers.size(); ++i) ASSERT_EQ(2, answers[i]) << i << " of " << n;
      }
    }
  }

  std::vector<uint64_t> Random(size_t n) {
    std::vector<uint64_t> hashes(n);
    for (uint64_t& hash : hashes) hash = random_();
    return hashes;
  }

  std::mt19937_64 random_{57};
};

TEST_P(BatchKernelTest, Blocked) {
  struct alignas(kBlockBytes) Block {
    char bytes[kBlockBytes];
  };
  for (int k = 1; k <= 30; ++k) {
    std::vector<Block> blocks(40, Block{});
    const PayloadView filter{blocks.front().bytes, blocks.size(), k};
    const std::vector<uint64_t> stored = Random(blocks.size() * 20);
    portable().blocked.insert_many({blocks.front().bytes, blocks.size(), k}, stored.size(),
                                   stored.data());
    const auto one = [&](uint64_t hash) { return portable().blocked.may_match(filter, hash); };
    ExpectSameAnswers(
        stored,
        [&](size_t n, const uint64_t* hashes, bool* answers) {
          kernel().blocked.may_match_many(filter, n, hashes, answers);
        },
        one);
    ASSERT_FALSE(HasFailure()) << "k " << k;
  }
}

void SetHeader(const Arrangement& arrangement, unsigned code, unsigned attempt, char* block) {
  char* const last = block + arrangement.block_bytes - 8;
  const uint64_t rest = LoadLittleEndian64(last) & OnesBelow64(52);
  StoreLittleEndian64(rest | HeaderBits(code, attempt), last);
}

TEST_P(BatchKernelTest, CompactBlocksOfDifferentHeaders) {
  constexpr unsigned kLogBlocks = 6;
  for (uint32_t arrangement = 0; arrangement < kNumArrangements; ++arrangement) {
    const Arrangement& a = kArrangements[arrangement];
    std::string bytes;
    std::vector<uint64_t> stored;
    for (uint64_t i = 0; i < 1 << kLogBlocks; ++i) {
      // The block of a hash is in its upper bits.
      std::vector<uint64_t> hashes =
          Random(1 + random_() % std::min(a.max_slots() + 20, kMaxCompactSlots));
      for (uint64_t& hash : hashes) hash = i << (64 - kLogBlocks) | hash >> kLogBlocks;
      std::string block(a.block_bytes, '\0');
      if (i % 8 != 0 &&
          portable().compact.solve(arrangement, hashes.data(), hashes.size(), block.data())) {
        stored.insert(stored.end(), hashes.begin(), hashes.end());
      } else {  // any bits; some blocks are Bloom filters
        for (char& byte : block) byte = static_cast<char>(random_() & 0xFF);
        SetHeader(a, i % 16 == 0 ? kBloomCode : static_cast<unsigned>(random_() % 128),
                  static_cast<unsigned>(random_() % 32), block.data());
      }
      bytes += block;
    }
    ASSERT_GT(stored.size(), 1000u);
    const CompactFilter filter{bytes.data(), 1 << kLogBlocks, 0};
    for (const uint64_t hash : stored) {
      ASSERT_TRUE(portable().compact.may_match[arrangement](filter, hash));
    }
    for (int round = 0; round < 5; ++round) {
      ExpectSameAnswers(
          stored,
          [&](size_t n, const uint64_t* hashes, bool* answers) {
            kernel().compact.may_match_many[arrangement](filter, n, hashes, answers);
          },
          [&](uint64_t hash) { return portable().compact.may_match[arrangement](filter, hash); });
      ASSERT_FALSE(HasFailure()) << "arrangement " << arrangement;
    }
  }
}

BLOOMLINE_WITH_EACH_KERNEL(BatchKernelTest);

}  // namespace
}  // namespace bloomline::kernels
