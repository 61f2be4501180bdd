// Compact lines, packed and not: every kernel against the portable one, on lines of any content and
// hashes of any kind; and no key of a line lost.
#include "src/build/compact_builder.h"
#include "src/format/layout.h"
#include "src/kernels/compact/compact_block.h"
#include "src/kernels/packed/packed_block.h"
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

void AskCompact(const CompactFilter& filter, const std::vector<uint64_t>& hashes,
                size_t num_present) {
  const uint32_t arrangement = filter.arrangement;
  RequireSameAnswers(
      filter, [=](const Kernel& kernel) { return kernel.compact.may_match[arrangement]; },
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
  AskWrittenLine(input, line, place, hashes, [&](const char* data, const auto& of, size_t present) {
    AskPacked({data, 1, line_bytes, base_slots}, of, present);
  });
}

core::FilterShape ConsumeCompactShape(FuzzedDataProvider* input, uint64_t num_lines) {
  const auto arrangement =
      input->ConsumeIntegralInRange<uint32_t>(0, kernels::kNumArrangements - 1);
  return core::FilterShape::Compact(num_lines, arrangement);
}

void FuzzCompactQuery(FuzzedDataProvider* input) {
  const core::FilterShape shape = ConsumeCompactShape(input, ConsumeCount(input, 2, 8));
  const Place place = ConsumePlace(input);
  Placed placed(ConsumeContent(input, shape.payload_bytes()), place);
  AskCompact(core::AsCompact(shape, placed.data()),
             ConsumeHashes(input, ConsumeCount(input, kFewHashes, kMaxHashes)), 0);
}

void FuzzCompactSolver(FuzzedDataProvider* input) {
  const core::FilterShape shape = ConsumeCompactShape(input, 1);
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
    AskCompact(core::AsCompact(shape, data), of, present);
  });
}

// More keys than a line has slots, repeated ones among them: the core, which calls the solvers.
void FuzzLine(FuzzedDataProvider* input) {
  constexpr size_t kMaxKeys = 300;
  const bool packed = input->ConsumeBool();
  const core::FilterShape shape =
      packed ? core::FilterShape::PackedCompact(
                   1, ConsumePackedLineBytes(input),
                   input->ConsumeIntegralInRange<uint32_t>(1, core::kMaxPackedBaseSlots))
             : ConsumeCompactShape(input, 1);
  const Place place = ConsumePlace(input);
  const std::string content = ConsumeContent(input, shape.block_bytes);
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
  AskWrittenLine(input, line, place, hashes, [&](const char* data, const auto& of, size_t present) {
    if (packed) {
      AskPacked(core::AsPacked(shape, data), of, present);
    } else {
      AskCompact(core::AsCompact(shape, data), of, present);
    }
  });
}

}  // namespace
}  // namespace bloomline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bloomline::fuzz;
  FuzzedDataProvider input(data, size);
  using Target = void (*)(FuzzedDataProvider*);
  constexpr Target kTargets[] = {FuzzPackedQuery, FuzzPackedSolver, FuzzCompactQuery,
                                 FuzzCompactSolver, FuzzLine};
  input.PickValueInArray(kTargets)(&input);
  return 0;
}
