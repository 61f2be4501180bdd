// Bloom filters and counters: every kernel against the portable one, with any payload and any
// hashes. No added key is lost.
#include "bloomline/sizing.h"
#include "src/filter/kernels/counters/counter_blocks.h"
#include "src/filter/kernels/probe_sequence.h"
#include "tests/fuzz/fuzz_kernels.h"

namespace bloomline::fuzz {
namespace {

using kernels::BlockedFilter;
using kernels::CounterBlocks;
using kernels::FlatFilter;
using kernels::kBlockBytes;

void FuzzBlocked(FuzzedDataProvider* input) {
  const int k = input->ConsumeIntegralInRange<int>(kMinProbes, kMaxProbes);
  const auto num_lines = ConsumeCount(input, 3, 32);
  const Place place = ConsumePlace(input);
  const std::string content = ConsumeContent(input, num_lines * kBlockBytes);
  const size_t num_keys = input->ConsumeIntegral<uint8_t>();
  const std::vector<uint64_t> hashes =
      ConsumeHashes(input, ConsumeCount(input, kFewHashes, kMaxHashes));
  const size_t n = std::min(num_keys, hashes.size());
  const std::string added = RequireSameBytes(content, place, [&](const Kernel& kernel, char* data) {
    kernel.blocked.insert_many({data, num_lines, k}, n, hashes.data());
    return true;
  });
  Placed placed(added, place);
  const BlockedFilter filter = {placed.data(), num_lines, k};
  RequireSameAnswers(
      filter, [](const Kernel& kernel) { return kernel.blocked.may_match; },
      [](const Kernel& kernel) { return kernel.blocked.may_match_many; }, hashes, n);
  for (const Kernel* kernel : SupportedKernels()) {
    for (const uint64_t hash : hashes) {
      Require(kernel->blocked.may_match_for(k)(filter, hash) ==
                  Portable().blocked.may_match(filter, hash),
              "query with k given as portable", kernel->name);
    }
  }
}

// The functions of filters that change while they are queried.
void FuzzMutable(FuzzedDataProvider* input) {
  const int k = input->ConsumeIntegralInRange<int>(kMinProbes, kMaxProbes);
  const auto num_lines = ConsumeCount(input, 3, 32);
  // On a 64-byte boundary, as shared blocks are.
  const Place place = {input->ConsumeBool() ? Place::kBeforeGuard : Place::kAfterGuard, 0};
  const std::string content = ConsumeContent(input, num_lines * kBlockBytes);
  const size_t num_keys = input->ConsumeIntegral<uint8_t>();
  const std::vector<uint64_t> hashes =
      ConsumeHashes(input, ConsumeCount(input, kFewHashes, kMaxHashes));
  const size_t n = std::min(num_keys, hashes.size());
  std::string inserted = content;
  Portable().blocked.insert_many({inserted.data(), num_lines, k}, n, hashes.data());
  std::vector<bool> changed[2];
  for (const bool shared : {false, true}) {
    const std::string added =
        RequireSameBytes(content, place, [&](const Kernel& kernel, char* data) {
          const std::unique_ptr<bool[]> results(new bool[n]);
          const auto add = shared ? kernel.atomic.add_many : kernel.blocked.add_many;
          add({data, num_lines, k}, n, hashes.data(), results.get());
          return changed[shared] = std::vector<bool>(results.get(), results.get() + n);
        });
    Require(added == inserted, "adding sets the bits that inserting sets");
  }
  Require(changed[0] == changed[1], "shared lines say the same of what changed");
  Placed placed(inserted, place);
  RequireSameAnswers(
      BlockedFilter{placed.data(), num_lines, k},
      [](const Kernel& kernel) { return kernel.blocked.may_match; },
      [](const Kernel& kernel) { return kernel.atomic.may_match_many; }, hashes, n);
  constexpr size_t kCounts = kernels::kBlockBits + 1;
  std::vector<uint64_t> expected(kCounts);
  Portable().atomic.count_blocks(placed.data(), num_lines, expected.data());
  for (const Kernel* kernel : SupportedKernels()) {
    std::vector<uint64_t> counts(kCounts);
    kernel->atomic.count_blocks(placed.data(), num_lines, counts.data());
    Require(counts == expected, "lines counted as by portable", kernel->name);
  }
}

void FuzzCounters(FuzzedDataProvider* input) {
  const int counter_bits = input->ConsumeBool() ? 8 : 4;
  const int k = input->ConsumeIntegralInRange<int>(kMinProbes, kMaxProbes);
  const auto num_lines = ConsumeCount(input, 2, 8);
  const Place place = ConsumePlace(input);
  const std::string content = ConsumeContent(input, num_lines * kBlockBytes);
  const size_t num_keys = input->ConsumeIntegral<uint8_t>();
  const int times = input->PickValueInArray({1, 1, 1, 2, 2, 20});  // 4-bit counters end at 15
  const std::vector<uint64_t> hashes =
      ConsumeHashes(input, ConsumeCount(input, kFewHashes, kMaxHashes));
  const size_t n = std::min(num_keys, hashes.size());
  RequireSameBytes(content, place, [&](const Kernel& kernel, char* data) {
    const kernels::CounterKernel& counters = kernel.counters;
    const CounterBlocks lines = {reinterpret_cast<unsigned char*>(data), num_lines, counter_bits,
                                 k};
    const std::unique_ptr<bool[]> answers(new bool[hashes.size()]);
    std::vector<uint64_t> results;
    const auto keep = [&](size_t count) {
      results.insert(results.end(), answers.get(), answers.get() + count);
    };
    for (int i = 0; i < times; ++i) {
      uint64_t num_saturated = 0;
      counters.add_many(lines, n, hashes.data(), answers.get(), &num_saturated);
      keep(n);
      results.push_back(num_saturated);
    }
    counters.may_match_many(lines, hashes.size(), hashes.data(), answers.get());
    keep(hashes.size());
    for (size_t i = 0; i < n; ++i) {
      Require(answers[i], "a key that was added is contained", kernel.name);
    }
    counters.remove_many(lines, hashes.size(), hashes.data(), answers.get());
    keep(hashes.size());
    return results;
  });
}

void FuzzFlat(FuzzedDataProvider* input) {
  const int k = input->ConsumeIntegralInRange<int>(kMinProbes, kMaxProbes);
  // Up to 128 bytes, kernels have special code.
  const size_t num_bytes =
      input->ConsumeIntegralInRange<size_t>(1, input->ConsumeBool() ? 2000 : 140);
  const Place place = ConsumePlace(input);
  const std::string content = ConsumeContent(input, num_bytes);
  const size_t num_keys = input->ConsumeIntegral<uint8_t>();
  const std::vector<uint64_t> hashes =
      ConsumeHashes(input, ConsumeCount(input, kFewHashes, kMaxHashes));
  const size_t n = std::min(num_keys, hashes.size());
  const std::string added = RequireSameBytes(content, place, [&](const Kernel& kernel, char* data) {
    kernel.flat.insert_many({data, num_bytes, k}, n, hashes.data());
    return true;
  });
  Placed placed(added, place);
  const FlatFilter filter = {placed.data(), num_bytes, k};
  for (size_t i = 0; i < hashes.size(); ++i) {
    const bool expected = Portable().flat.may_match(filter, hashes[i]);
    Require(expected || i >= n, "a key that was added matches");
    for (const Kernel* kernel : SupportedKernels()) {
      Require(kernel->flat.may_match(filter, hashes[i]) == expected, "query as portable",
              kernel->name);
    }
  }
}

}  // namespace
}  // namespace bloomline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bloomline::fuzz;
  FuzzedDataProvider input(data, size);
  using Target = void (*)(FuzzedDataProvider*);
  constexpr Target kTargets[] = {FuzzBlocked, FuzzFlat, FuzzMutable, FuzzCounters};
  input.PickValueInArray(kTargets)(&input);
  return 0;
}
