#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "bloomline/bloom_filter.h"
#include "bloomline/counting_bloom_filter.h"
#include "bloomline/filter.h"
#include "bloomline/on_disk_filter_builder.h"
#include "bloomline/scalable_bloom_filter.h"
#include "tests/faults/crash_cycle.h"

namespace bloomline::tests {
namespace {

constexpr uint64_t kCapacity = 1000000;
constexpr uint64_t kMissing = 2000;

std::string Key(uint64_t i) { return "key " + std::to_string(i); }

// Each save has the keys of the previous one and some more.
uint64_t NumKeys(SavedKind kind, uint64_t save) {
  return kind >= SavedKind::kPartitionedBlocked ? 20000 + 100 * save : 100 * save;
}

BloomLayout LayoutOf(SavedKind kind) {
  switch (kind) {
    case SavedKind::kStandard:
      return BloomLayout::kStandard;
    case SavedKind::kBlocked128:
      return BloomLayout::kBlocked128;
    case SavedKind::kBlocked64:
      return BloomLayout::kBlocked64;
    default:
      return BloomLayout::kBlocked;
  }
}

FilterOptions PartitionedOptions(SavedKind kind) {
  FilterOptions options;
  if (kind == SavedKind::kPartitionedCompact) options.format = Format::kCompact;
  return options;
}

template <typename Filter>
void Fill(uint64_t first, uint64_t last, Filter* filter) {
  for (uint64_t i = first; i < last; ++i) filter->AddKey(Key(i));
}

// Calls f(filter) with a new filter of the kind, which is not the partitioned one.
template <typename F>
bool WithNewFilter(SavedKind kind, std::string* error, F f) {
  if (kind == SavedKind::kScalable) {
    ScalableBloomFilterOptions options;
    options.initial_capacity = 2000;
    const auto filter = ScalableBloomFilter::Create(options, error);
    return filter != nullptr && f(filter.get());
  }
  if (kind == SavedKind::kCounting) {
    CountingBloomFilterOptions options;
    options.capacity = kCapacity / 4;
    const auto filter = CountingBloomFilter::Create(options, error);
    return filter != nullptr && f(filter.get());
  }
  BloomFilterOptions options;
  options.capacity = kCapacity;
  options.layout = LayoutOf(kind);
  const auto filter = BloomFilter::Create(options, error);
  return filter != nullptr && f(filter.get());
}

bool BuildInParts(SavedKind kind, uint64_t save, const std::string& path, std::string* error) {
  OnDiskFilterOptions options;
  options.filter = PartitionedOptions(kind);
  options.temp_directory = std::filesystem::path(path).parent_path();
  options.memory_bytes = kMinOnDiskMemoryPerThread;
  const auto builder = OnDiskFilterBuilder::Create(options, error);
  if (builder == nullptr) return false;
  const uint64_t num_keys = NumKeys(kind, save);
  for (uint64_t i = 0; i < num_keys; ++i) {
    if (!builder->AddKey(Key(i), error)) return false;
  }
  return builder->Finish(path, error);
}

std::string BytesOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Writes the n-th save.
std::string Expected(SavedKind kind, uint64_t save, const std::string& scratch) {
  if (kind >= SavedKind::kPartitionedBlocked) {
    FilterBuilder builder(PartitionedOptions(kind));
    for (uint64_t i = 0; i < NumKeys(kind, save); ++i) builder.AddKey(Key(i));
    return builder.Finish();
  }
  std::string error;
  WithNewFilter(kind, &error, [&](auto* filter) {
    Fill(0, NumKeys(kind, save), filter);
    return filter->Save(scratch + "/expected", &error);
  });
  return BytesOf(scratch + "/expected");
}

template <typename MayMatch>
void QueryAll(uint64_t num_keys, Shared* shared, MayMatch may_match) {
  Findings& findings = shared->findings;
  for (uint64_t i = 0; i < num_keys; ++i) {
    ++findings.present_queried;
    if (may_match(Key(i))) continue;
    ++findings.lost;
    Complain(shared, "the file lost key " + std::to_string(i));
  }
  for (uint64_t i = 0; i < kMissing; ++i) {
    ++findings.missing_queried;
    ++(may_match("missing " + std::to_string(i)) ? findings.filters.yes : findings.filters.no);
  }
  if (findings.filters.yes > kMissing / 20) {
    ++findings.wrong;
    Complain(shared, "the file's false-positive rate is above 5 %");
  }
}

template <typename Filter>
void LoadAndQuery(const std::string& path, uint64_t num_keys, Shared* shared) {
  std::string error;
  const auto filter = Filter::Load(path, &error);
  if (filter == nullptr) {
    ++shared->findings.wrong;
    return Complain(shared, error);
  }
  QueryAll(num_keys, shared, [&](const std::string& key) { return filter->MayMatch(key); });
}

}  // namespace

const char* Name(SavedKind kind) {
  constexpr const char* kNames[] = {"BloomFilter, blocked",  "BloomFilter, standard",
                                    "BloomFilter, 128 bits", "BloomFilter, 64 bits",
                                    "ScalableBloomFilter",   "CountingBloomFilter",
                                    "partitioned, blocked",  "partitioned, compact"};
  return kNames[static_cast<int>(kind)];
}

void SaveFilters(SavedKind kind, const KillPlan& plan, const std::string& directory,
                 Shared* shared) {
  SkipSyncs();
  if (plan.by == KillBy::kFileOperation) ArmKillPoint(plan.point);
  const std::string path = directory + "/filter";
  std::string error;
  uint64_t save = shared->acknowledged;
  if (kind >= SavedKind::kPartitionedBlocked) {
    for (;;) {
      if (!BuildInParts(kind, ++save, path, &error)) GiveUp(shared, error);
      shared->acknowledged = save;
    }
  }
  WithNewFilter(kind, &error, [&](auto* filter) {
    Fill(0, NumKeys(kind, save), filter);
    for (;;) {
      ++save;
      Fill(NumKeys(kind, save - 1), NumKeys(kind, save), filter);
      if (!filter->Save(path, &error)) GiveUp(shared, error);
      shared->acknowledged = save;
    }
    return true;
  });
  GiveUp(shared, error);
}

void VerifyFilter(SavedKind kind, const std::string& directory, const std::string& scratch,
                  Shared* shared) {
  Findings& findings = shared->findings;
  const std::string path = directory + "/filter";
  uint64_t save = shared->acknowledged;
  if (!std::filesystem::exists(path)) {
    if (save != 0) {
      ++findings.wrong;
      return Complain(shared, "a saved file is gone");
    }
    findings.finished = true;
    return;
  }
  const std::string bytes = BytesOf(path);
  if (save == 0 || bytes != Expected(kind, save, scratch)) {
    ++save;  // the save that was interrupted
    if (bytes != Expected(kind, save, scratch)) {
      ++findings.wrong;
      Complain(shared, "the file is neither save " + std::to_string(save - 1) + " nor save " +
                           std::to_string(save));
    }
  }
  shared->acknowledged = save;
  const uint64_t num_keys = NumKeys(kind, save);
  if (kind >= SavedKind::kPartitionedBlocked) {
    const FilterView view = FilterView::Open(bytes);
    QueryAll(num_keys, shared, [&](const std::string& key) { return view.MayMatch(key); });
  } else if (kind == SavedKind::kScalable) {
    LoadAndQuery<ScalableBloomFilter>(path, num_keys, shared);
  } else if (kind == SavedKind::kCounting) {
    LoadAndQuery<CountingBloomFilter>(path, num_keys, shared);
  } else {
    LoadAndQuery<BloomFilter>(path, num_keys, shared);
  }
  findings.finished = true;
}

}  // namespace bloomline::tests
