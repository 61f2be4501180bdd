// Comparing every kernel with the portable one.
#ifndef BLOOMLINE_TESTS_FUZZ_FUZZ_KERNELS_H_
#define BLOOMLINE_TESTS_FUZZ_FUZZ_KERNELS_H_

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "src/kernels/compact_kernel.h"
#include "src/kernels/kernel.h"
#include "tests/fuzz/fuzz_input.h"

namespace bloomline::fuzz {

using kernels::CompactKernel;
using kernels::Kernel;

constexpr size_t kMaxHashes = 200;

// Where a kernel has its functions of type *Table.
template <typename Table>
const Table& TableOf(const Kernel& kernel) {
  if constexpr (std::is_same_v<Table, CompactKernel>) {
    return *kernel.compact;
  } else {
    return kernel;
  }
}

template <typename Filter>
using OneQuery = bool (*)(const Filter&, uint64_t);
template <typename Filter>
using ManyQueries = void (*)(const Filter&, size_t, const uint64_t*, bool*);

// The first num_present of the hashes must match. `many` may be null.
template <typename Table, typename Filter>
void RequireSameAnswers(const Filter& filter, OneQuery<Filter> Table::*one,
                        ManyQueries<Filter> Table::*many, const std::vector<uint64_t>& hashes,
                        size_t num_present) {
  const std::unique_ptr<bool[]> answers(new bool[hashes.size()]);
  for (const Kernel* kernel : SupportedKernels()) {
    const Table& table = TableOf<Table>(*kernel);
    if (many != nullptr) (table.*many)(filter, hashes.size(), hashes.data(), answers.get());
    for (size_t i = 0; i < hashes.size(); ++i) {
      const bool expected = (TableOf<Table>(Portable()).*one)(filter, hashes[i]);
      Require(expected || i >= num_present, "a key that was added matches", kernel->name);
      Require((table.*one)(filter, hashes[i]) == expected, "single query as portable",
              kernel->name);
      Require(many == nullptr || answers[i] == expected, "batched query as portable", kernel->name);
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
