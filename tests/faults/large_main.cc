// Builds filters of more than 4 GiB or 2^32 keys and queries them.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>

#include "bloomline/bloom_filter.h"
#include "bloomline/filter.h"
#include "bloomline/filter_theory.h"
#include "bloomline/rocksdb.h"
#include "bloomline/sizing.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/bits/filter_bits_abi.h"
#include "tests/faults/arguments.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {
namespace {

using std::chrono::steady_clock;

constexpr uint64_t kFourGiB = uint64_t{1} << 32;
constexpr uint64_t kSample = 10000000;
constexpr uint64_t kFirstMissing = uint64_t{1} << 40;
constexpr size_t kBatch = 4096;

// Key number i: its 8 bytes.
class Keys {
 public:
  // Valid until the next call.
  const std::string_view* Batch(uint64_t first, uint64_t step, size_t n) {
    for (size_t i = 0; i < n; ++i) numbers_[i] = first + i * step;
    return views_;
  }

  Keys() {
    for (size_t i = 0; i < kBatch; ++i) {
      views_[i] = {reinterpret_cast<const char*>(&numbers_[i]), sizeof(numbers_[i])};
    }
  }
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

 private:
  uint64_t numbers_[kBatch] = {};
  std::string_view views_[kBatch];
};

class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(steady_clock::now() - start_).count();
  }

 private:
  const steady_clock::time_point start_ = steady_clock::now();
};

// Calls f(views, n) for the keys of numbers first, first + step, ... below last.
template <typename F>
void ForKeys(uint64_t first, uint64_t last, uint64_t step, F f) {
  const auto keys = std::make_unique<Keys>();
  while (first < last) {
    const uint64_t left = (last - first + step - 1) / step;
    const size_t n = static_cast<size_t>(std::min<uint64_t>(kBatch, left));
    f(keys->Batch(first, step, n), n);
    first += n * step;
  }
}

// Calls may_match(n, views, answers) for a sample of the keys 0 .. num_keys - 1, the last ones
// included, and for missing keys. Returns false if a key is lost or the rate is not near `theory`.
template <typename MayMatch>
bool Check(const char* name, uint64_t num_keys, uint64_t bytes, double theory, MayMatch may_match) {
  const auto answers = std::make_unique<bool[]>(kBatch);
  uint64_t queried = 0;
  uint64_t yes = 0;
  const auto query = [&](const std::string_view* views, size_t n) {
    may_match(n, views, answers.get());
    queried += n;
    yes += static_cast<uint64_t>(std::count(answers.get(), answers.get() + n, true));
  };
  ForKeys(0, num_keys, std::max<uint64_t>(1, num_keys / kSample), query);
  ForKeys(num_keys - std::min(num_keys, kSample / 10), num_keys, 1, query);
  const uint64_t lost = queried - yes;
  const uint64_t present = queried;
  queried = yes = 0;
  ForKeys(kFirstMissing, kFirstMissing + kSample, 1, query);
  const double rate = static_cast<double>(yes) / static_cast<double>(queried);
  // Five standard deviations of the count, and 2 % for the theory.
  const double wanted = theory * static_cast<double>(queried);
  const bool rate_is_right =
      std::abs(static_cast<double>(yes) - wanted) <= 5 * std::sqrt(wanted + 1) + 0.02 * wanted;
  std::printf("%-12s %" PRIu64 " keys, %" PRIu64 " bytes (%.3f of 4 GiB): %" PRIu64
              " present keys queried, %" PRIu64 " lost; rate %.3g of %" PRIu64
              " missing, theory %.3g%s\n",
              name, num_keys, bytes, static_cast<double>(bytes) / static_cast<double>(kFourGiB),
              present, lost, rate, queried, theory, rate_is_right ? "" : ": WRONG");
  std::fflush(stdout);
  return lost == 0 && rate_is_right;
}

bool Failed(const char* name, const std::string& error) {
  std::printf("%-12s FAILED: %s\n", name, error.c_str());
  return false;
}

struct Flags {
  uint64_t divide = 1;
  std::string directory;
};

bool BloomCase(const Flags& flags) {
  constexpr double kBitsPerKey = 8;
  const uint64_t num_keys = (kFourGiB + (kFourGiB >> 6)) / flags.divide;
  BloomFilterOptions options;
  options.num_bits = num_keys * static_cast<uint64_t>(kBitsPerKey);
  options.num_probes = OptimalNumProbes(Format::kBlocked, kBitsPerKey);
  options.capacity = num_keys;
  std::string error;
  const auto filter = BloomFilter::Create(options, &error);
  if (filter == nullptr) return Failed("bloom", error);
  const Stopwatch stopwatch;
  ForKeys(0, num_keys, 1,
          [&](const std::string_view* views, size_t n) { filter->AddKeys(n, views); });
  std::printf("%-12s added in %.0f s; num_keys %" PRIu64 ", estimated %" PRIu64 "\n", "bloom",
              stopwatch.Seconds(), filter->num_keys(), filter->EstimatedNumKeys());
  const double theory = BlockedFalsePositiveRate(kBitsPerKey, options.num_probes);
  const auto check = [&](const char* name, const BloomFilterBase& view) {
    return Check(name, num_keys, view.num_bits() / 8, theory,
                 [&](size_t n, const std::string_view* views, bool* answers) {
                   view.MayMatch(n, views, answers);
                 });
  };
  bool right = check("bloom", *filter);
  const double estimated = static_cast<double>(filter->EstimatedNumKeys());
  if (std::abs(estimated / static_cast<double>(num_keys) - 1) > 0.01) {
    right = Failed("bloom", "the estimated number of keys is off");
  }
  const std::string path = flags.directory + "/bloom";
  if (!filter->Save(path, &error)) return Failed("saved", error);
  const auto mapped = MappedBloomFilter::Open(path, MappedBloomFilter::Verify::kPayload, &error);
  if (mapped == nullptr) return Failed("mapped", error);
  right = check("mapped", *mapped) && right;
  std::filesystem::remove(path);
  return right;
}

bool BuilderCase(const Flags& flags) {
  FilterOptions options;
  options.bits_per_key = 80;
  const uint64_t num_keys = 470000000 / flags.divide;
  FilterBuilder builder(options);
  ForKeys(0, num_keys, 1, [&](const std::string_view* views, size_t n) {
    for (size_t i = 0; i < n; ++i) builder.AddKey(views[i]);
  });
  if (!builder.error().empty()) return Failed("builder", builder.error());
  const std::string bytes = builder.Finish();
  const FilterView view = FilterView::Open(bytes);
  return Check("builder", num_keys, bytes.size(), FalsePositiveRate(Format::kBlocked, 80),
               [&](size_t n, const std::string_view* views, bool* answers) {
                 view.MayMatch(n, views, answers);
               });
}

// More bytes than RocksDB's lengths can express: cut to the limit.
bool RocksDBCase(const Flags& flags) {
  constexpr uint64_t kMaxBytes = 0xffffffc0;
  FilterOptions options;
  options.bits_per_key = 100;
  const uint64_t num_keys = 360000000 / flags.divide;
  const auto policy = NewRocksDBFilterPolicy(options);
  const rocksdb::BlockBasedTableOptions table;
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy->GetBuilderWithContext(rocksdb::FilterBuildingContext(table)));
  ForKeys(0, num_keys, 1, [&](const std::string_view* views, size_t n) {
    for (size_t i = 0; i < n; ++i) builder->AddKey({views[i].data(), views[i].size()});
  });
  std::unique_ptr<const char[]> buffer;
  rocksdb::Status status;
  const rocksdb::Slice filter = builder->Finish(&buffer, &status);
  if (!status.ok()) return Failed("rocksdb", status.ToString());
  if (filter.size() > kMaxBytes || (flags.divide == 1 && filter.size() < kMaxBytes - 128)) {
    return Failed("rocksdb", "the filter has " + std::to_string(filter.size()) + " bytes");
  }
  const std::unique_ptr<rocksdb::FilterBitsReader> reader(policy->GetFilterBitsReader(filter));
  const double bits_per_key =
      8 * static_cast<double>(filter.size()) / static_cast<double>(num_keys);
  const int num_probes = OptimalNumProbes(Format::kBlocked, options.bits_per_key);
  return Check("rocksdb", num_keys, filter.size(),
               BlockedFalsePositiveRate(bits_per_key, num_probes),
               [&](size_t n, const std::string_view* views, bool* answers) {
                 constexpr size_t kMultiGet = 32;
                 for (size_t first = 0; first < n; first += kMultiGet) {
                   rocksdb::Slice slices[kMultiGet];
                   rocksdb::Slice* pointers[kMultiGet];
                   const size_t count = std::min(kMultiGet, n - first);
                   for (size_t i = 0; i < count; ++i) {
                     slices[i] = {views[first + i].data(), views[first + i].size()};
                     pointers[i] = &slices[i];
                   }
                   reader->MayMatch(static_cast<int>(count), pointers, answers + first);
                 }
               });
}

struct Case {
  const char* name;
  bool (*run)(const Flags& flags);
  uint64_t memory_gib;
  uint64_t disk_gib;
};

constexpr Case kCases[] = {
    {"bloom", BloomCase, 6, 6}, {"builder", BuilderCase, 10, 0}, {"rocksdb", RocksDBCase, 9, 0}};

uint64_t AvailableMemoryGiB() {
  std::ifstream in("/proc/meminfo");
  std::string name;
  for (uint64_t kib; in >> name >> kib;
       in.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    if (name == "MemAvailable:") return kib >> 20;
  }
  return 0;
}

constexpr char kUsage[] =
    "Usage: large [--divide N]\n"
    "Builds filters of more than 4 GiB and queries ten million of their keys and as many missing\n"
    "ones. A case without the memory or the disk that it needs is skipped:\n"
    "  bloom        BloomFilter of 4.4e9 keys, saved and mapped; 6 GiB of memory, 6 on disk\n"
    "  builder      FilterBuilder, 80 bits for each of 4.7e8 keys; 10 GiB of memory\n"
    "  rocksdb      RocksDB's builder, 100 bits for each of 3.6e8 keys; 9 GiB of memory\n"
    "  --divide N   divides the numbers of keys, 1 to 1000; default 1\n"
    "Files are written to a new folder in $TMPDIR or /tmp.\n"
    "Exit status: 0 if all answers are right, 1 if not or if a case was skipped, 2 if it could\n"
    "not run.\n";

int Run(int argc, char** argv) {
  Flags flags;
  Arguments arguments("large", kUsage, argc, argv);
  for (std::string argument; arguments.Next(&argument);) {
    if (argument != "--divide") arguments.Refuse("'" + argument + "' is not known");
    flags.divide = arguments.Number(1, 1000);
  }
  const TempDir directory;
  flags.directory = directory.Path("");
  bool right = true;
  for (const Case& c : kCases) {
    const uint64_t disk = std::filesystem::space(flags.directory).available >> 30;
    if (AvailableMemoryGiB() < c.memory_gib / flags.divide || disk < c.disk_gib / flags.divide) {
      std::printf("%-12s skipped: needs %" PRIu64 " GiB of memory, %" PRIu64
                  " available, and %" PRIu64 " GiB in %s, %" PRIu64 " available\n",
                  c.name, c.memory_gib, AvailableMemoryGiB(), c.disk_gib, flags.directory.c_str(),
                  disk);
      right = false;
      continue;
    }
    const Stopwatch stopwatch;
    right = c.run(flags) && right;
    std::printf("%-12s %.0f s\n", c.name, stopwatch.Seconds());
    std::fflush(stdout);
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace bloomline::tests

int main(int argc, char** argv) { return bloomline::tests::Run(argc, argv); }
