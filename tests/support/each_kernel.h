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

#include "src/filter/layouts/kernel.h"

namespace bloomline::tests {

class EachKernelTest : public testing::TestWithParam<size_t> {
 protected:
  const kernels::Kernel& kernel() const { return *kernels::AllKernels().kernels[GetParam()]; }
  static const kernels::Kernel& portable() { return **kernels::AllKernels().begin(); }
  void SetUp() override {
    if (!kernel().supported()) GTEST_SKIP() << kernel().name << ": not supported by this machine";
  }
};

#define BLOOMLINE_WITH_EACH_KERNEL(suite)                                                         \
  INSTANTIATE_TEST_SUITE_P(AllKernels, suite,                                                     \
                           testing::Range<size_t>(0, kernels::AllKernels().size),                 \
                           [](const auto& info) {                                                 \
                             return std::string(kernels::AllKernels().kernels[info.param]->name); \
                           })

inline std::vector<const kernels::Kernel*> SupportedKernels() {
  std::vector<const kernels::Kernel*> supported;
  std::copy_if(kernels::AllKernels().begin(), kernels::AllKernels().end(),
               std::back_inserter(supported),
               [](const kernels::Kernel* kernel) { return kernel->supported(); });
  return supported;
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

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_EACH_KERNEL_H_
