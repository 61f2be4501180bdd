// Tests that run with each kernel of this binary, and the hashes that they query.
#ifndef BLOOMLINE_TESTS_SUPPORT_EACH_KERNEL_H_
#define BLOOMLINE_TESTS_SUPPORT_EACH_KERNEL_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "bloomline/cpu.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/table/kernel_table.h"

namespace bloomline::tests {

class EachKernelTest : public testing::TestWithParam<size_t> {
 protected:
  const kernels::Kernel& kernel() const { return *kernels::AllKernels().begin()[GetParam()]; }
  static const kernels::Kernel& portable() { return **kernels::AllKernels().begin(); }
  void SetUp() override {
    if (!kernel().supported()) GTEST_SKIP() << kernel().name << ": not supported by this machine";
  }
};

#define BLOOMLINE_WITH_EACH_KERNEL(suite)                                                         \
  INSTANTIATE_TEST_SUITE_P(AllKernels, suite,                                                     \
                           testing::Range<size_t>(0, kernels::AllKernels().size()),               \
                           [](const auto& info) {                                                 \
                             return std::string(kernels::AllKernels().begin()[info.param]->name); \
                           })

inline std::vector<const kernels::Kernel*> SupportedKernels() {
  std::vector<const kernels::Kernel*> supported;
  std::copy_if(kernels::AllKernels().begin(), kernels::AllKernels().end(),
               std::back_inserter(supported),
               [](const kernels::Kernel* kernel) { return kernel->supported(); });
  return supported;
}

// Calls body() while each supported kernel is the active one.
template <typename Body>
void WithEachKernel(Body body) {
  const std::string active = ActiveKernelName();
  for (const KernelInfo& kernel : Kernels()) {
    if (!kernel.supported) continue;
    SCOPED_TRACE(kernel.name);
    EXPECT_TRUE(ForceKernel(kernel.name, nullptr));
    body();
    if (testing::Test::HasFatalFailure()) break;
  }
  EXPECT_TRUE(ForceKernel(active, nullptr));
}

inline std::vector<uint64_t> RandomHashes(size_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> hashes(n);
  for (uint64_t& hash : hashes) hash = random();
  return hashes;
}

// The first ones are the ends of every range.
inline std::vector<uint64_t> HashesWithEdges(size_t n, uint64_t seed) {
  constexpr uint64_t kEdges[] = {
      0, 1, UINT64_MAX, uint64_t{1} << 63, 0xFFFFFFFF, 0xFFFFFFFF00000000};
  std::vector<uint64_t> hashes = RandomHashes(n, seed);
  std::copy_n(kEdges, std::min(n, std::size(kEdges)), hashes.begin());
  return hashes;
}

// answer_many(n, hashes, answers) for batches of all sizes, in each of which about `percent` of the
// keys are stored, gives the answers of answer_one, and writes none too many.
template <typename Many, typename One>
void ExpectBatchesAnswerAs(One answer_one, Many answer_many, const std::vector<uint64_t>& stored,
                           std::mt19937_64* random) {
  for (const unsigned percent : {0u, 10u, 24u, 26u, 35u, 50u, 100u}) {
    for (size_t n = 0; n <= 2 * kernels::kBatchKeys + 5; ++n) {
      std::vector<uint64_t> hashes(n);
      for (uint64_t& hash : hashes) {
        hash = (*random)() % 100 < percent ? stored[(*random)() % stored.size()] : (*random)();
      }
      std::vector<unsigned char> answers(n + kernels::kBatchKeys, 2);
      answer_many(n, hashes.data(), reinterpret_cast<bool*>(answers.data()));
      for (size_t i = 0; i < n; ++i) {
        ASSERT_EQ(answer_one(hashes[i]) ? 1 : 0, answers[i])
            << "key " << i << " of " << n << ", " << percent << " % stored";
      }
      for (size_t i = n; i < answers.size(); ++i) ASSERT_EQ(2, answers[i]) << i << " of " << n;
    }
  }
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_EACH_KERNEL_H_
