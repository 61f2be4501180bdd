// Compares every kernel with the portable one.
#ifndef BLOOMLINE_TESTS_FUZZ_FUZZ_KERNELS_H_
#define BLOOMLINE_TESTS_FUZZ_FUZZ_KERNELS_H_

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "src/filter/layouts/kernel.h"
#include "tests/fuzz/fuzz_input.h"

namespace bloomline::fuzz {

using kernels::Kernel;

constexpr size_t kFewHashes = 8;
constexpr size_t kMaxHashes = 100;  // more than three groups of a batch

constexpr size_t kMaxQueries = 512;

// one(kernel) returns the kernel's function for one query, many(kernel) that for many. Queries at
// most kMaxQueries hashes, of which the first num_present must match.
template <typename Filter, typename One, typename Many>
void RequireSameAnswers(const Filter& filter, One one, Many many,
                        const std::vector<uint64_t>& hashes, size_t num_present) {
  bool* const answers = GuardedArray<bool>(hashes.size());
  std::array<bool, kMaxQueries> expected;
  for (size_t i = 0; i < hashes.size(); ++i) {
    expected[i] = one(Portable())(filter, hashes[i]);
    Require(expected[i] || i >= num_present, "a key that was added matches");
  }
  for (const Kernel* kernel : SupportedKernels()) {
    many (*kernel)(filter, hashes.size(), hashes.data(), answers);
    for (size_t i = 0; i < hashes.size(); ++i) {
      Require(one(*kernel)(filter, hashes[i]) == expected[i], "single query as portable",
              kernel->name);
      Require(answers[i] == expected[i], "batched query as portable", kernel->name);
    }
  }
}

// Calls `write` with each kernel and its own copy of `before`. All must return the same value and
// leave the same bytes.
template <typename Write>
std::string RequireSameBytes(const std::string& before, const Place& place, Write write) {
  std::string expected = before;
  const auto expected_result = write(Portable(), expected.data());
  for (const Kernel* kernel : SupportedKernels()) {
    Placed placed(before, place);
    Require(write(*kernel, placed.data()) == expected_result, "written as by portable",
            kernel->name);
    Require(placed.view() == expected, "the same bytes as portable", kernel->name);
  }
  return expected;
}

}  // namespace bloomline::fuzz

#endif  // BLOOMLINE_TESTS_FUZZ_FUZZ_KERNELS_H_
