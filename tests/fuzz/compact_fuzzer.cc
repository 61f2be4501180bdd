// Compact lines and those of small sets: every kernel against the portable one, on lines of any
// content and hashes of any kind; and no key of a line lost.
#include <array>
#include <string>
#include <vector>

#include "src/filter/bits/compact_block.h"
#include "src/filter/bits/filter_shape.h"
#include "src/filter/bits/small_set_block.h"
#include "src/filter/kernel/kernel.h"
#include "src/filter/table/layout_table.h"
#include "tests/fuzz/fuzz_input.h"

namespace bloomline::fuzz {
namespace {

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

void AskCompact(const filter::FilterShape& shape, const char* data,
                const std::vector<uint64_t>& hashes, size_t num_present) {
  const uint32_t arrangement = shape.arrangement;
  RequireSameAnswers(
      filter::ForKernel(shape, data),
      [=](const Kernel& kernel) { return kernel.compact.may_match[arrangement]; },
      [=](const Kernel& kernel) { return kernel.compact.may_match_many[arrangement]; }, hashes,
      num_present);
}

// A line holds all its keys, whatever else is asked; with a bit changed, kernels still agree.
// ask(data, hashes, num_present).
template <typename Ask>
void AskWrittenLine(FuzzedDataProvider* input, const std::string& line, const Place& place,
                    std::vector<uint64_t> hashes, Ask ask) {
  const size_t num_present = hashes.size();
  const auto damage = input->ConsumeIntegral<uint16_t>();
  const std::vector<uint64_t> others =
      ConsumeHashes(input, ConsumeCount(input, kFewHashes, kMaxHashes));
  hashes.insert(hashes.end(), others.begin(), others.end());
  Placed placed(line, place);
  ask(placed.data(), hashes, num_present);
  const size_t bit = damage % (8 * line.size());
  placed.data()[bit / 8] = static_cast<char>(placed.data()[bit / 8] ^ (1 << bit % 8));
  ask(placed.data(), hashes, 0);
}

filter::FilterShape ConsumeCompactShape(FuzzedDataProvider* input, uint64_t num_lines) {
  const auto arrangement =
      input->ConsumeIntegralInRange<uint32_t>(0, kernels::kNumArrangements - 1);
  return filter::FilterShape::Compact(num_lines, arrangement);
}

void FuzzCompactQuery(FuzzedDataProvider* input) {
  const filter::FilterShape shape = ConsumeCompactShape(input, ConsumeCount(input, 2, 8));
  const Place place = ConsumePlace(input);
  Placed placed(ConsumeContent(input, shape.payload_bytes()), place);
  AskCompact(shape, placed.data(),
             ConsumeHashes(input, ConsumeCount(input, kFewHashes, kMaxHashes)), 0);
}

void FuzzCompactSolver(FuzzedDataProvider* input) {
  const filter::FilterShape shape = ConsumeCompactShape(input, 1);
  const Place place = ConsumePlace(input);
  std::vector<uint64_t> hashes =
      ConsumeHashes(input, ConsumeCount(input, 24, kernels::kMaxCompactSlots));
  if (hashes.empty()) hashes.push_back(0);
  const std::string empty(shape.block_bytes, '\0');
  bool solved = false;
  const std::string line = RequireSameBytes(empty, place, [&](const Kernel& kernel, char* data) {
    return solved = kernel.compact.solve(shape.arrangement, hashes.data(), hashes.size(), data);
  });
  if (!solved) {
    Require(line == empty, "nothing is written without a solution");
    return;
  }
  AskWrittenLine(input, line, place, hashes, [&](const char* data, const auto& of, size_t present) {
    AskCompact(shape, data, of, present);
  });
}

// More keys than a line has slots, repeated ones among them: the core, which calls the solvers.
void FuzzLine(FuzzedDataProvider* input) {
  constexpr size_t kMaxKeys = 300;
  const filter::FilterShape shape = ConsumeCompactShape(input, 1);
  const Place place = ConsumePlace(input);
  const std::string content = ConsumeContent(input, shape.block_bytes);
  const std::vector<uint64_t> hashes = ConsumeHashes(input, ConsumeCount(input, 24, kMaxKeys));
  const std::string line = RequireSameBytes(content, place, [&](const Kernel& kernel, char* data) {
    std::vector<uint64_t> reordered = hashes;
    filter::LayoutRowFor(shape.layout)
        .solve_block(reordered.data(), reordered.size(), shape, kernel, data);
    return true;
  });
  std::vector<uint64_t> reversed(hashes.rbegin(), hashes.rend());
  std::string line_of_reversed = content;
  filter::LayoutRowFor(shape.layout)
      .solve_block(reversed.data(), reversed.size(), shape, Portable(), line_of_reversed.data());
  Require(line == line_of_reversed, "a line does not depend on the order of its keys");
  AskWrittenLine(input, line, place, hashes, [&](const char* data, const auto& of, size_t present) {
    AskCompact(shape, data, of, present);
  });
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
  using Target = void (*)(FuzzedDataProvider*);
  constexpr Target kTargets[] = {FuzzCompactQuery, FuzzCompactSolver, FuzzLine, FuzzSmallSetQuery,
                                 FuzzSmallSetSolver};
  input.PickValueInArray(kTargets)(&input);
  return 0;
}
