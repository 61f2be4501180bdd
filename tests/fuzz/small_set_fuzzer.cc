// Blocks of LevelDB's small sets: every kernel against the portable one, on blocks of any content
// and hashes of any kind; and no key of a block lost.
#include <algorithm>
#include <string>
#include <vector>

#include "src/filter/bits/filter_shape.h"
#include "src/filter/bits/small_set_block.h"
#include "src/filter/kernel/kernel.h"
#include "tests/fuzz/fuzz_input.h"

namespace bloomline::fuzz {
namespace {

using kernels::Kernel;

constexpr size_t kFewHashes = 8;
constexpr size_t kMaxHashes = 100;  // more than three groups of a batch

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

// A small set's block: every kernel's answer, one hash after the other.
void AskSmallSet(const char* block, uint32_t block_bytes, uint32_t first_attempt,
                 const std::vector<uint64_t>& hashes, size_t num_present) {
  for (size_t i = 0; i < hashes.size(); ++i) {
    const auto ask = [&](const Kernel& kernel) {
      return kernel.small_set.may_match(block, block_bytes, first_attempt, hashes[i]);
    };
    const bool expected = ask(Portable());
    Require(expected || i >= num_present, "no key is lost");
    for (const Kernel* kernel : SupportedKernels()) {
      Require(ask(*kernel) == expected, "query as portable", kernel->name);
    }
  }
}

uint32_t ConsumeSmallSetBlockBytes(FuzzedDataProvider* input) {
  return input->ConsumeIntegralInRange<uint32_t>(filter::kMinSmallSetBlockBytes,
                                                 filter::kMaxSmallSetBlockBytes);
}

void FuzzSmallSetQuery(FuzzedDataProvider* input) {
  const uint32_t block_bytes = ConsumeSmallSetBlockBytes(input);
  const uint32_t first_attempt = 4 * input->ConsumeIntegralInRange<uint32_t>(0, 3);
  const Place place = ConsumePlace(input);
  Placed placed(ConsumeContent(input, block_bytes), place);
  AskSmallSet(placed.data(), block_bytes, first_attempt,
              ConsumeHashes(input, ConsumeCount(input, kFewHashes, kMaxHashes)), 0);
}

void FuzzSmallSetSolver(FuzzedDataProvider* input) {
  const uint32_t block_bytes = ConsumeSmallSetBlockBytes(input);
  const unsigned num_attempts = input->ConsumeBool() ? 16 : 4;
  const Place place = ConsumePlace(input);
  std::vector<uint64_t> hashes =
      ConsumeHashes(input, ConsumeCount(input, 24, kernels::small_set::kMaxBlockSlots));
  const auto solve = [&](const Kernel& kernel, char* data) {
    return kernel.small_set.solve(hashes.data(), hashes.size(), num_attempts, block_bytes, data);
  };
  const std::string empty(block_bytes, '\0');
  int attempt = 0;
  std::string block = RequireSameBytes(empty, place, [&](const Kernel& kernel, char* data) {
    return attempt = solve(kernel, data);
  });
  std::reverse(hashes.begin(), hashes.end());
  std::string block_of_reversed = empty;
  Require(solve(Portable(), block_of_reversed.data()) == attempt && block == block_of_reversed,
          "a block does not depend on the order of its keys");
  if (attempt < 0) {
    Require(block == empty, "nothing is written without a solution");
    return;
  }
  const auto first_attempt = static_cast<uint32_t>(attempt) / 4 * 4;
  const size_t num_present = hashes.size();
  const std::vector<uint64_t> others =
      ConsumeHashes(input, ConsumeCount(input, kFewHashes, kMaxHashes));
  hashes.insert(hashes.end(), others.begin(), others.end());
  Placed placed(block, place);
  AskSmallSet(placed.data(), block_bytes, first_attempt, hashes, num_present);
}

}  // namespace
}  // namespace bloomline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bloomline::fuzz;
  FuzzedDataProvider input(data, size);
  if (input.ConsumeBool()) {
    FuzzSmallSetQuery(&input);
  } else {
    FuzzSmallSetSolver(&input);
  }
  return 0;
}
