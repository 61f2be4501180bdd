// Comparing every kernel with the portable one.
#ifndef BLOOMLINE_TESTS_FUZZ_FUZZ_KERNELS_H_
#define BLOOMLINE_TESTS_FUZZ_FUZZ_KERNELS_H_

#include <array>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "src/kernels/compact/compact_kernel.h"
#include "src/kernels/kernel.h"
#include "tests/fuzz/fuzz_input.h"

namespace bloomline::fuzz {

using kernels::CompactKernel;
using kernels::Kernel;

constexpr size_t kFewHashes = 8;
constexpr size_t kMaxHashes = 100;  // more than three groups of a batch

// Where a kernel has its functions of type *Table.
template <typename Table>
const Table& TableOf(const Kernel& kernel) {
  if constexpr (std::is_same_v<Table, CompactKernel>) {
    return kernel.compact;
  } else {
    return kernel;
  }
}

template <typename Filter>
using OneQuery = bool (*)(const Filter&, uint64_t);
template <typename Filter>
using ManyQueries = void (*)(const Filter&, size_t, const uint64_t*, bool*);

constexpr size_t kMaxQueries = 512;

// Of at most kMaxQueries hashes, the first num_present must match. `many` may be null.
template <typename Table, typename Filter>
void RequireSameAnswers(const Filter& filter, OneQuery<Filter> Table::*one,
                        ManyQueries<Filter> Table::*many, const std::vector<uint64_t>& hashes,
                        size_t num_present) {
  bool* const answers = GuardedArray<bool>(hashes.size());
  std::array<bool, kMaxQueries> expected;
  for (size_t i = 0; i < hashes.size(); ++i) {
    expected[i] = (TableOf<Table>(Portable()).*one)(filter, hashes[i]);
    Require(expected[i] || i >= num_present, "a key that was added matches");
  }
  for (const Kernel* kernel : SupportedKernels()) {
    const Table& table = TableOf<Table>(*kernel);
    if (many != nullptr) (table.*many)(filter, hashes.size(), hashes.data(), answers);
    for (size_t i = 0; i < hashes.size(); ++i) {
      Require((table.*one)(filter, hashes[i]) == expected[i], "single query as portable",
              kernel->name);
      Require(many == nullptr || answers[i] == expected[i], "batched query as portable",
              kernel->name);
    }
  }
}

// Writes with each kernel into its own copy of `before`; `write` returns something, too. All
// must return and leave the same.
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
