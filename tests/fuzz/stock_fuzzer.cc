// RocksDB's own filters in the RocksDB policy. Any bytes are safe to query, one key at a time and
// in batches, and every kernel gives the answers of RocksDB's own reader.
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/cpu.h"
#include "bloomline/rocksdb.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/filter/container/trailer.h"
#include "src/filter/stock/stock_filter.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/stock_ends.h"

namespace bloomline::fuzz {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

constexpr size_t kMaxKeys = 80;
constexpr size_t kBatchKeys = 32;  // RocksDB's readers take no more
constexpr size_t kMaxPayload = 3000;
constexpr size_t kBlockBytes = 64;
// The size of a block that RocksDB's reader of a legacy filter tries first, on most CPUs.
constexpr uint32_t kCacheLine = 64;

const FilterPolicy& PolicyOf(const std::string& text) {
  static auto& policies = *new std::map<std::string, std::shared_ptr<const FilterPolicy>>;
  std::shared_ptr<const FilterPolicy>& policy = policies[text];
  if (policy == nullptr) {
    Require(FilterPolicy::CreateFromString(ConfigOptions(), text, &policy).ok(),
            "a policy is made");
  }
  return *policy;
}

std::vector<Key> ConsumeKeys(FuzzedDataProvider* input) {
  std::vector<Key> keys(ConsumeCount(input, 4, kMaxKeys));
  const auto first = input->ConsumeIntegral<uint64_t>();
  for (size_t i = 0; i < keys.size(); ++i) {
    keys[i] = i % 2 == 0 ? ConsumeKey(input) : BigEndianKey(first + i);
  }
  return keys;
}

// A filter of the first half of the keys.
std::string Build(FuzzedDataProvider* input, const std::vector<Key>& keys) {
  const char* const bits = input->PickValueInArray({"1", "3.5", "10", "14.001", "23.7", "60"});
  const FilterPolicy& policy =
      PolicyOf(input->ConsumeBool() ? std::string("bloomfilter:") + bits + ":false"
                                    : std::string("ribbonfilter:") + bits + ":-1");
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  table.format_version = input->ConsumeBool() ? 5 : 4;
  table.optimize_filters_for_memory = false;
  const std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> builder(
      policy.GetBuilderWithContext(ROCKSDB_NAMESPACE::FilterBuildingContext(table)));
  for (size_t i = 0; i < keys.size() / 2; ++i) {
    builder->AddKey(Slice(keys[i].data(), keys[i].size()));
  }
  std::unique_ptr<const char[]> memory;
  const Slice filter = builder->Finish(&memory);
  Require(builder->MaybePostVerify(filter).ok(), "a filter is verified");
  return filter.ToString();
}

std::string ConsumeFilter(FuzzedDataProvider* input) {
  if (input->ConsumeBool()) {
    return input->ConsumeBytesAsString(input->ConsumeIntegralInRange<size_t>(0, kMaxPayload));
  }
  size_t payload_bytes = input->ConsumeIntegralInRange<size_t>(0, kMaxPayload);
  if (input->ConsumeBool()) payload_bytes = payload_bytes / kBlockBytes * kBlockBytes;
  const int kind = input->ConsumeIntegralInRange<int>(0, kNumStockKinds - 1);
  const std::string end = ConsumeStockEnd(input, kind, payload_bytes);
  return ConsumeContent(input, payload_bytes) + end;
}

// Where the policy answers otherwise than RocksDB: to up to 5 bytes, to which RocksDB answers that
// there are no keys, and filters beyond whose end RocksDB's reader reads.
bool MatchesEveryKey(const std::string& filter) {
  if (filter.size() <= stock::kTrailerBytes) return !filter.empty();
  const size_t payload_bytes = filter.size() - stock::kTrailerBytes;
  const char* const end = filter.data() + payload_bytes;
  if (end[0] == '\xFF') {
    const bool is_known = end[1] == 0 && end[2] >= 1 && end[2] <= 30 && end[3] == 0 && end[4] == 0;
    return is_known && payload_bytes < kBlockBytes;
  }
  uint32_t num_blocks = 0;
  for (int i = 4; i > 0; --i) num_blocks = num_blocks << 8 | static_cast<unsigned char>(end[i]);
  return end[0] > 0 && num_blocks * kCacheLine == payload_bytes &&
         uint64_t{num_blocks} * kCacheLine != payload_bytes;
}

// The answers of a reader to single queries, which those to batches must equal.
std::vector<bool> Answers(FilterBitsReader* reader, const std::vector<Key>& keys,
                          const char* kernel) {
  std::vector<bool> answers(keys.size(), true);  // RocksDB takes a null reader as "may match"
  if (reader == nullptr) return answers;
  std::vector<Slice> slices;
  for (const Key& key : keys) slices.emplace_back(key.data(), key.size());
  for (size_t i = 0; i < keys.size(); ++i) answers[i] = reader->MayMatch(slices[i]);
  for (size_t start = 0; start < keys.size(); start += kBatchKeys) {
    const size_t count = std::min(kBatchKeys, keys.size() - start);
    std::vector<Slice*> pointers;
    for (size_t i = 0; i < count; ++i) pointers.push_back(&slices[start + i]);
    bool* const batch = GuardedArray<bool>(count);
    reader->MayMatch(static_cast<int>(count), pointers.data(), batch);
    for (size_t i = 0; i < count; ++i) {
      Require(batch[i] == answers[start + i], "a batch answers as single queries", kernel);
    }
  }
  return answers;
}

void Query(const std::string& filter, const Place& place, const std::vector<Key>& keys,
           size_t num_stored) {
  if (filter::HasTrailer(filter)) return;  // bloomline's
  Placed placed(filter, place);
  const Slice contents(placed.data(), filter.size());
  std::vector<bool> expected(keys.size(), true);
  if (!MatchesEveryKey(filter)) {
    const std::unique_ptr<FilterBitsReader> own(
        PolicyOf("rocksdb.BuiltinBloomFilter").GetFilterBitsReader(contents));
    expected = Answers(own.get(), keys, "RocksDB");
  }
  for (size_t i = 0; i < num_stored; ++i) Require(expected[i], "a key that was added matches");
  for (const kernels::Kernel* kernel : SupportedKernels()) {
    Require(ForceKernel(kernel->name, nullptr), "a supported kernel can be forced");
    const std::unique_ptr<FilterBitsReader> ours(
        PolicyOf("bloomline:10").GetFilterBitsReader(contents));
    Require(Answers(ours.get(), keys, kernel->name) == expected, "the answers of RocksDB's reader",
            kernel->name);
  }
}

}  // namespace
}  // namespace bloomline::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bloomline::fuzz;
  static const bool registered = bloomline::RegisterBloomline();
  Require(registered, "bloomline is registered");
  FuzzedDataProvider input(data, size);
  const Place place = ConsumePlace(&input);
  const std::vector<Key> keys = ConsumeKeys(&input);
  if (input.ConsumeIntegralInRange<int>(0, 3) != 3) {
    Query(ConsumeFilter(&input), place, keys, 0);
    return 0;
  }
  std::string filter = Build(&input, keys);
  Query(filter, place, keys, keys.size() / 2);
  const auto damage = input.ConsumeIntegral<uint16_t>();
  if (filter.empty()) return 0;
  const size_t bit = damage % (8 * filter.size());
  filter[bit / 8] = static_cast<char>(filter[bit / 8] ^ (1 << bit % 8));
  Query(filter, place, keys, 0);
  return 0;
}
