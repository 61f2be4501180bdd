// Compact lines, packed, in lanes and of small sets: every kernel against the portable one, on
// lines of any content and hashes of any kind; and no key of a solved line lost.
#include "src/build/compact_builder.h"
#include "src/format/layout.h"
#include "src/kernels/compact/compact_lanes.h"
#include "src/kernels/packed/packed_block.h"
#include "src/kernels/small_set/small_set_block.h"
#include "tests/fuzz/fuzz_kernels.h"

namespace bloomline::fuzz {
namespace {

using kernels::CompactFilter;
using kernels::kBlockBytes;
using kernels::kMaxSlots;
using kernels::PackedFilter;

void AskPacked(const PackedFilter& filter, const std::vector<uint64_t>& hashes,
               size_t num_present) {
  RequireSameAnswers(
      filter, [](const Kernel& kernel) { return kernel.packed.may_match; },
      [](const Kernel& kernel) { return kernel.packed.may_match_many; }, hashes, num_present);
}

void AskLanes(const CompactFilter& filter, const std::vector<uint64_t>& hashes,
              size_t num_present) {
  RequireSameAnswers(
      filter, [](const Kernel& kernel) { return kernel.compact.lanes_may_match; },
      [](const Kernel& kernel) { return kernel.compact.lanes_may_match_many; }, hashes,
      num_present);
}

// A solved line holds all its keys, whatever else is asked; with a bit changed, kernels still
// agree.
template <typename Filter, typename Ask>
void AskSolvedLine(FuzzedDataProvider* input, std::string line, uint32_t base_slots,
                   const Place& place, std::vector<uint64_t> hashes, Ask ask) {
  const size_t num_present = hashes.size();
  const auto damage = input->ConsumeIntegral<uint16_t>();
  const std::vector<uint64_t> others =
      ConsumeHashes(input, ConsumeCount(input, kFewHashes, kMaxHashes));
  hashes.insert(hashes.end(), others.begin(), others.end());
  const auto line_bytes = static_cast<uint32_t>(line.size());
  Placed placed(line, place);
  ask(Filter{placed.data(), 1, line_bytes, base_slots}, hashes, num_present);
  const size_t bit = damage % (8 * line.size());
  placed.data()[bit / 8] = static_cast<char>(placed.data()[bit / 8] ^ (1 << bit % 8));
  ask(Filter{placed.data(), 1, line_bytes, base_slots}, hashes, 0);
}

// LevelDB has all sizes, the trailer container whole and half lines.
uint32_t ConsumePackedLineBytes(FuzzedDataProvider* input) {
  const uint32_t sizes[] = {
      32, 64, input->ConsumeIntegralInRange<uint32_t>(core::kMinPackedBlockBytes, kBlockBytes)};
  return input->PickValueInArray(sizes);
}

void FuzzPackedQuery(FuzzedDataProvider* input) {
  const uint32_t line_bytes = ConsumePackedLineBytes(input);
  const auto base_slots = input->ConsumeIntegralInRange<uint32_t>(1, core::kMaxPackedBaseSlots);
  const auto num_lines = ConsumeCount(input, 2, 8);
  const Place place = ConsumePlace(input);
  Placed placed(ConsumeContent(input, num_lines * line_bytes), place);
  AskPacked({placed.data(), num_lines, line_bytes, base_slots},
            ConsumeHashes(input, ConsumeCount(input, kFewHashes, kMaxHashes)), 0);
}

void FuzzPackedSolver(FuzzedDataProvider* input) {
  const uint32_t line_bytes = ConsumePackedLineBytes(input);
  const Place place = ConsumePlace(input);
  const int spare_slots = input->ConsumeIntegralInRange<int>(-8, 40);
  const std::vector<uint64_t> hashes = ConsumeHashes(input, ConsumeCount(input, 24, kMaxSlots));
  const auto slots = static_cast<unsigned>(
      std::clamp(static_cast<int>(hashes.size()) + spare_slots, 1, static_cast<int>(kMaxSlots)));
  kernels::PackedKeys keys(hashes.size());
  for (size_t i = 0; i < hashes.size(); ++i) keys.Set(i, hashes[i]);
  const std::string empty(line_bytes, '\0');
  int seed = 0;
  std::string line = RequireSameBytes(empty, place, [&](const Kernel& kernel, char* data) {
    return seed = kernel.packed.solve(keys, slots, line_bytes, data);
  });
  if (seed < 0) {
    Require(line == empty, "nothing is written without a solution");
    return;
  }
  Require(line.back() == 0, "the header is left to the caller");
  const uint32_t base_slots = std::min<uint32_t>(slots, core::kMaxPackedBaseSlots);
  line.back() = static_cast<char>(slots - base_slots + 64 * static_cast<unsigned>(seed));
  AskSolvedLine<PackedFilter>(input, line, base_slots, place, hashes, AskPacked);
}

uint32_t ConsumeLanesBase(FuzzedDataProvider* input) {
  return input->ConsumeIntegralInRange<uint32_t>(core::kMinLanesBaseSlots,
                                                 core::kMaxLanesBaseSlots);
}

void FuzzLanesQuery(FuzzedDataProvider* input) {
  const uint32_t base_slots = ConsumeLanesBase(input);
  const auto num_lines = ConsumeCount(input, 2, 8);
  const Place place = ConsumePlace(input);
  Placed placed(ConsumeContent(input, num_lines * kBlockBytes), place);
  AskLanes({placed.data(), num_lines, kBlockBytes, base_slots},
           ConsumeHashes(input, ConsumeCount(input, kFewHashes, kMaxHashes)), 0);
}

void FuzzLanesSolver(FuzzedDataProvider* input) {
  const uint32_t base_slots = ConsumeLanesBase(input);
  const Place place = ConsumePlace(input);
  std::vector<uint64_t> hashes = ConsumeHashes(input, ConsumeCount(input, 24, kMaxSlots));
  if (hashes.empty()) hashes.push_back(0);
  const std::string empty(kBlockBytes, '\0');
  bool solved = false;
  const std::string line = RequireSameBytes(empty, place, [&](const Kernel& kernel, char* data) {
    return solved = kernel.compact.lanes_solve(hashes.data(), hashes.size(), base_slots, data);
  });
  if (solved) {
    AskSolvedLine<CompactFilter>(input, line, base_slots, place, hashes, AskLanes);
  } else {
    Require(line == empty, "nothing is written without a solution");
  }
}

// More keys than a line has slots, repeated ones among them: the core, which calls the solvers.
void FuzzLine(FuzzedDataProvider* input) {
  constexpr size_t kMaxKeys = 300;
  const bool lanes = input->ConsumeBool();
  const uint32_t line_bytes = lanes ? kBlockBytes : ConsumePackedLineBytes(input);
  const uint32_t base_slots =
      lanes ? ConsumeLanesBase(input)
            : input->ConsumeIntegralInRange<uint32_t>(1, core::kMaxPackedBaseSlots);
  const core::FilterShape shape = lanes
                                      ? core::FilterShape::CompactLanes(1, base_slots)
                                      : core::FilterShape::PackedCompact(1, line_bytes, base_slots);
  const Place place = ConsumePlace(input);
  const std::string content = ConsumeContent(input, line_bytes);
  const std::vector<uint64_t> hashes = ConsumeHashes(input, ConsumeCount(input, 24, kMaxKeys));
  const std::string line = RequireSameBytes(content, place, [&](const Kernel& kernel, char* data) {
    std::vector<uint64_t> reordered = hashes;
    core::SolveBlock(reordered.data(), reordered.size(), shape, kernel, data);
    return true;
  });
  std::vector<uint64_t> reversed(hashes.rbegin(), hashes.rend());
  std::string line_of_reversed = content;
  core::SolveBlock(reversed.data(), reversed.size(), shape, Portable(), line_of_reversed.data());
  Require(line == line_of_reversed, "a line does not depend on the order of its keys");
  if (lanes) {
    AskSolvedLine<CompactFilter>(input, line, base_slots, place, hashes, AskLanes);
  } else {
    AskSolvedLine<PackedFilter>(input, line, base_slots, place, hashes, AskPacked);
  }
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
  return input->ConsumeIntegralInRange<uint32_t>(core::kMinSmallSetBlockBytes,
                                                 core::kMaxSmallSetBlockBytes);
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
  constexpr Target kTargets[] = {FuzzPackedQuery,   FuzzPackedSolver, FuzzLanesQuery,
                                 FuzzLanesSolver,   FuzzLine,         FuzzSmallSetQuery,
                                 FuzzSmallSetSolver};
  input.PickValueInArray(kTargets)(&input);
  return 0;
}
