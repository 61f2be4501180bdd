// RocksDB's option strings. Any text is refused with a reason, or gives a policy that builds
// filters and whose own text makes an equal policy.
#include <sstream>
#include <unordered_map>

#include "bloomline/rocksdb.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "src/engines/rocksdb/policy.h"
#include "tests/fuzz/fuzz_input.h"

namespace bloomline::fuzz {
namespace {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Status;

constexpr const char* kNames[] = {
    "bits_per_key",
    "format",
    "seed",
    "bits",
    "",
    "bits_by_level",
    "num_levels",
    "level_size_ratio",
    "flush_format",
    "filters_at_bottom",
    "range_prefixes",
    "range_memory_percent",
    "memory",
    "max_filter_bytes",
    "stock_id",
};

// One value, usually a meaningful one.
std::string ConsumeValue(FuzzedDataProvider* input) {
  const char* const known[] = {"10",
                               "4:8:after0x2f",
                               "7.05",
                               "0",
                               "0.4",
                               "1e2",
                               "blocked",
                               "2.999",
                               "24",
                               "compact",
                               "-1",
                               "classic",
                               "18446744073709551615",
                               "auto",
                               "uniform",
                               "24:20:16:12:9",
                               "24,0,9",
                               "same",
                               "true",
                               "false",
                               "64",
                               "bloom",
                               "ribbon",
                               "2GiB",
                               "100KB"};
  const auto kind = input->ConsumeIntegralInRange<int>(0, 4);
  if (kind == 4) {
    std::ostringstream number;
    number.precision(17);
    number << 30 * input->ConsumeProbability<double>();
    return number.str();
  }
  if (kind < 2) return input->PickValueInArray(known);
  std::string value = kind == 2 ? input->PickValueInArray(known) : "";
  value += input->ConsumeBytesAsString(input->ConsumeIntegralInRange<size_t>(0, 24));
  // RocksDB's own syntax is not tested here.
  for (const char special : {'{', '}', ';', '=', '\0'}) {
    value.erase(std::remove(value.begin(), value.end(), special), value.end());
  }
  return value;
}

std::string ConsumePolicyText(FuzzedDataProvider* input) {
  if (input->ConsumeIntegralInRange<int>(0, 3) == 3) return "bloomline:" + ConsumeValue(input);
  std::string text = "{id=bloomline";
  const auto count = input->ConsumeIntegralInRange<int>(0, 4);
  for (int i = 0; i < count; ++i) {
    text += std::string(";") + input->PickValueInArray(kNames) + "=" + ConsumeValue(input);
  }
  return text + "}";
}

// A policy can build filters, and its own text creates an equal policy.
void Use(const FilterPolicy& policy, FuzzedDataProvider* input) {
  ConfigOptions config;
  config.invoke_prepare_options = true;
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  ROCKSDB_NAMESPACE::FilterBuildingContext context(table);
  context.level_at_creation = input->ConsumeIntegralInRange<int>(-1, 70);
  context.num_levels = input->ConsumeIntegralInRange<int>(-1, 71);
  context.is_bottommost = input->ConsumeBool();
  context.reason = input->ConsumeBool() ? ROCKSDB_NAMESPACE::TableFileCreationReason::kFlush
                                        : ROCKSDB_NAMESPACE::TableFileCreationReason::kCompaction;
  if (context.reason == ROCKSDB_NAMESPACE::TableFileCreationReason::kFlush) {
    context.level_at_creation = 0;  // RocksDB's ribbon policy asserts it
  }
  context.compaction_style = input->ConsumeBool() ? ROCKSDB_NAMESPACE::kCompactionStyleUniversal
                                                  : ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  const std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> builder(
      policy.GetBuilderWithContext(context));
  if (builder != nullptr) {
    builder->AddKey("key");
    std::unique_ptr<const char[]> memory;
    const ROCKSDB_NAMESPACE::Slice filter = builder->Finish(&memory);
    const std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsReader> reader(
        policy.GetFilterBitsReader(filter));
    Require(reader->MayMatch("key"), "a key that was added matches");
    Require(!reader->MayMatch("absent key") || !reader->MayMatch("another") ||
                !reader->MayMatch("a third") || !reader->MayMatch("a fourth"),
            "options that were taken give a filter that filters");
  }
  const std::string text = policy.ToString(config);
  std::shared_ptr<const FilterPolicy> again;
  const Status status = FilterPolicy::CreateFromString(config, text, &again);
  Require(status.ok() && again != nullptr, "what a policy says of itself makes a policy");
  std::string mismatch;
  Require(policy.AreEquivalent(config, again.get(), &mismatch), "and an equal one");
}

void FuzzPolicy(FuzzedDataProvider* input) {
  const std::string text = ConsumePolicyText(input);
  ConfigOptions config;
  config.invoke_prepare_options = true;
  config.ignore_unknown_options = input->ConsumeBool();
  std::shared_ptr<const FilterPolicy> policy;
  const Status status = FilterPolicy::CreateFromString(config, text, &policy);
  Require(status.ok() || !status.ToString().empty(), "what is refused has a reason");
  if (status.ok() && policy != nullptr) Use(*policy, input);
}

// Changes a policy in use, as SetOptions does: accepted options are usable.
void FuzzChange(FuzzedDataProvider* input) {
  std::unordered_map<std::string, std::string> changes;
  const auto count = input->ConsumeIntegralInRange<int>(1, 3);
  for (int i = 0; i < count; ++i) {
    const char* const name = input->PickValueInArray(kNames);
    changes[name] = ConsumeValue(input);
  }
  ConfigOptions config;
  config.invoke_prepare_options = true;
  config.ignore_unknown_options = input->ConsumeBool();
  std::shared_ptr<const FilterPolicy> policy;
  Require(FilterPolicy::CreateFromString(config, "bloomline:10", &policy).ok(), "a policy is made");
  // RocksDB does the same.
  const Status status = const_cast<FilterPolicy*>(policy.get())->ConfigureFromMap(config, changes);
  if (status.ok()) Use(*policy, input);
}

}  // namespace
}  // namespace bloomline::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  bloomline::RegisterBloomline();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bloomline::fuzz;
  FuzzedDataProvider input(data, size);
  input.ConsumeBool() ? FuzzPolicy(&input) : FuzzChange(&input);
  return 0;
}
