// Filters larger than the caches, through their own interfaces, beside the speed of the machine's
// memory: random cache lines loaded, or read, changed and written, and nothing else.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomline/atomic_bloom_filter.h"
#include "bloomline/bloom_filter.h"
#include "bloomline/filter.h"
#include "bloomline/filter_theory.h"
#include "bloomline/sizing.h"
#include "db_bench_ext/filters/suite.h"
#include "db_bench_ext/support/keys.h"
#include "db_bench_ext/support/machine.h"
#include "db_bench_ext/support/output.h"
#include "db_bench_ext/support/report.h"
#include "src/filter/bits/probe_sequence.h"
#include "src/filter/container/trailer.h"
#include "src/filter/layouts/layout_row.h"
#include "src/filter/rates/rates.h"
#include "src/support/aligned_memory.h"

namespace bloomline::bench {
namespace {

using kernels::kBlockBytes;

constexpr double kRate = 0.01;
constexpr double kMaxRateError = 0.03;        // relative to the computed rate
constexpr uint64_t kBuilderBytesPerKey = 12;  // with the filter, and to spare
constexpr uint64_t kMaxQueries = 20000000;
constexpr uint64_t kRawAccesses = uint64_t{1} << 22;
constexpr size_t kRawPrefetchAhead = 48;  // more gains nothing
// With 16-byte keys a call's keys and their views have 130 KB and stay in the second-level cache.
constexpr size_t kCallKeys = 4096;

// The median over calls, in ns per item: prepare(first, n) makes the items while the clock stands
// still, work(n) is timed.
template <typename Prepare, typename Work>
double MedianNs(uint64_t count, const Prepare& prepare, const Work& work) {
  std::vector<double> ns;
  for (uint64_t first = 0; first < count; first += kCallKeys) {
    const size_t n = std::min<uint64_t>(kCallKeys, count - first);
    prepare(first, n);
    ns.push_back(1e9 * SecondsOf([&] { work(n); }) / static_cast<double>(n));
  }
  return Median(std::move(ns));
}

struct RawNs {
  double load;
  double modify;
};

// access(word) on random lines of the memory, prefetched; kWrite as __builtin_prefetch takes it.
template <int kWrite, typename Access>
double NsPerAccess(char* data, uint64_t num_lines, const Access& access) {
  std::vector<char*> lines(kCallKeys);
  return MedianNs(
      kRawAccesses,
      [&](uint64_t first, size_t n) {
        for (size_t i = 0; i < n; ++i)
          lines[i] = data + kernels::BlockIndex(Mix(first + i), num_lines) * kBlockBytes;
      },
      [&](size_t n) {
        for (size_t i = 0; i < n; ++i) {
          if (i + kRawPrefetchAhead < n) __builtin_prefetch(lines[i + kRawPrefetchAhead], kWrite);
          access(reinterpret_cast<volatile uint64_t*>(lines[i]));
        }
      });
}

// In memory that is mapped like a filter's and was touched before.
RawNs MeasureRaw(uint64_t bytes) {
  constexpr uint64_t kPageBytes = 4096;
  const uint64_t num_lines = std::max<uint64_t>(1, bytes / kBlockBytes);
  const auto memory = support::AlignedMemory::Zeroed(num_lines * kBlockBytes);
  char* const data = memory.data();
  if (data == nullptr) throw std::bad_alloc();
  for (uint64_t i = 0; i < num_lines * kBlockBytes; i += kPageBytes) data[i] = 1;
  return {NsPerAccess<0>(data, num_lines, [](volatile uint64_t* word) { return *word; }),
          NsPerAccess<1>(data, num_lines, [](volatile uint64_t* word) { *word = *word | 2; })};
}

struct Measured {
  std::string subject;
  uint64_t filter_bytes = 0;
  uint64_t peak_bytes = 0;  // of the whole process
  double build_ns = 0;      // with Finish
  double stored_ns = 0;
  double missing_ns = 0;
  double fpr = 0;
  double theory = 0;
  uint64_t lost = 0;
  RawNs raw = {};  // in as much memory; the lower of before and after
};

// How many keys may match: first, first + stride, ...
template <typename Filter>
uint64_t CountMatches(const Filter& filter, uint64_t first, uint64_t stride, uint64_t count,
                      double* ns) {
  KeyBatch keys(kCallKeys);
  bool may_match[kCallKeys];
  uint64_t matches = 0;
  size_t uncounted = 0;
  const auto count_last = [&] {
    matches += static_cast<uint64_t>(std::count(may_match, may_match + uncounted, true));
  };
  *ns = MedianNs(
      count,
      [&](uint64_t done, size_t n) {
        count_last();
        uncounted = n;
        keys.Fill(first + done * stride, stride, n);
      },
      [&](size_t n) { filter.MayMatch(n, keys.views.data(), may_match); });
  count_last();
  return matches;
}

template <typename Filter>
void Query(const Filter& filter, uint64_t num_keys, Measured* row) {
  const uint64_t stored = std::min(num_keys, kMaxQueries);
  row->lost = stored - CountMatches(filter, 0, num_keys / stored, stored, &row->stored_ns);
  row->fpr = static_cast<double>(
                 CountMatches(filter, kFirstMissingIndex, 1, kMaxQueries, &row->missing_ns)) /
             static_cast<double>(kMaxQueries);
}

// add(batch) of the keys 0 to num_keys - 1.
template <typename Add>
double AddNs(uint64_t num_keys, const Add& add) {
  KeyBatch keys(kCallKeys);
  return MedianNs(
      num_keys, [&](uint64_t first, size_t n) { keys.Fill(first, 1, n); },
      [&](size_t) { add(keys); });
}

template <typename Filter>
void MeasureMutable(uint64_t num_keys, Measured* row) {
  BloomFilterOptions options;
  options.capacity = num_keys;
  options.false_positive_rate = kRate;
  std::string error;
  const std::unique_ptr<Filter> filter = Filter::Create(options, &error);
  if (filter == nullptr) throw std::runtime_error(error);
  row->build_ns =
      AddNs(num_keys, [&](const KeyBatch& keys) { filter->AddKeys(keys.size, keys.views.data()); });
  row->filter_bytes = filter->num_bits() / 8;
  row->theory = ExactBlockedFalsePositiveRate(num_keys, row->filter_bytes / kBlockBytes,
                                              filter->num_probes());
  Query(*filter, num_keys, row);
}

template <Format kFormat>
void MeasureStatic(uint64_t num_keys, Measured* row) {
  FilterBuilder builder(FilterOptions::ForFalsePositiveRate(kFormat, kRate));
  row->build_ns = AddNs(num_keys, [&](const KeyBatch& keys) {
    for (size_t i = 0; i < keys.size; ++i) builder.AddKey(keys.views[i]);
  });
  std::string bytes;
  const double finish_seconds = SecondsOf([&] { bytes = builder.Finish(); });
  if (!builder.error().empty()) throw std::runtime_error(builder.error());
  row->build_ns += 1e9 * finish_seconds / static_cast<double>(num_keys);
  row->filter_bytes = bytes.size();
  row->theory = filter::ExactRateOf(filter::DecodeTrailer(bytes), num_keys);
  Query(FilterView::Open(bytes), num_keys, row);
}

Measured Measure(const std::string& subject, uint64_t num_keys,
                 void (*measure)(uint64_t num_keys, Measured* row)) {
  Measured row;
  row.subject = subject;
  const uint64_t bytes =
      FilterBytes(Format::kBlocked, num_keys,
                  FilterOptions::ForFalsePositiveRate(Format::kBlocked, kRate).bits_per_key);
  const RawNs before = MeasureRaw(bytes);
  ResetPeakMemory();
  measure(num_keys, &row);
  row.peak_bytes = PeakMemory();
  const RawNs after = MeasureRaw(bytes);
  row.raw = {std::min(before.load, after.load), std::min(before.modify, after.modify)};
  return row;
}

Row MakeRow(uint64_t num_keys, const Measured& one) {
  return Row()
      .Word("subject", "subject", one.subject)
      .Count("keys", "", num_keys)
      .Number("build_ns", "build ns", one.build_ns, 2)
      .Number("build_times_raw", "x raw", one.build_ns / one.raw.modify, 2)
      .Number("stored_ns", "stored ns", one.stored_ns, 2)
      .Number("stored_times_raw", "x raw", one.stored_ns / one.raw.load, 2)
      .Number("missing_ns", "missing ns", one.missing_ns, 2)
      .Number("missing_times_raw", "x raw", one.missing_ns / one.raw.load, 2)
      .Number("raw_load_ns", "raw load", one.raw.load, 2)
      .Number("raw_modify_ns", "raw modify", one.raw.modify, 2)
      .Number("fpr", "FPR %", one.fpr, 4, 100)
      .Number("theory", "theory %", one.theory, 4, 100)
      .Count("lost", "lost", one.lost)
      .Number("filter_bytes", "MB", static_cast<double>(one.filter_bytes), 1, 1e-6)
      .Number("peak_bytes", "peak MB", static_cast<double>(one.peak_bytes), 1, 1e-6)
      .Word("machine", "", MachineInOneLine());
}

}  // namespace

int MeasureLarge(const std::string& header, const Flags& flags) {
  const uint64_t num_keys = flags.large_keys;
  Output output;
  output.Print(
      header + std::to_string(num_keys) + " keys at " + NumberText(100 * kRate, 0) + " % FPR, " +
      std::to_string(kCallKeys) +
      " per call, one thread: ns per key. \"x raw\": as a\nmultiple of a prefetched random "
      "access in as much memory, which loads a cache line (queries) or\nmodifies it "
      "(build)\n\n");
  std::vector<Measured> all = {
      Measure("BloomFilter", num_keys, MeasureMutable<BloomFilter>),
      Measure("AtomicBloomFilter", num_keys, MeasureMutable<AtomicBloomFilter>)};
  if (num_keys < AvailableMemory() / kBuilderBytesPerKey) {
    all.push_back(Measure("FilterBuilder blocked", num_keys, MeasureStatic<Format::kBlocked>));
    all.push_back(Measure("FilterBuilder compact", num_keys, MeasureStatic<Format::kCompact>));
  } else {
    output.Print("FilterBuilder is not measured: there is too little memory\n");
  }
  uint64_t wrong = 0;
  std::vector<Row> rows;
  for (const Measured& one : all) {
    wrong += one.lost + (std::abs(one.fpr / one.theory - 1) > kMaxRateError ? 1 : 0);
    rows.push_back(MakeRow(num_keys, one));
  }
  output.Print(Table(rows, 1));
  const int status = output.PrintVerdict(wrong);
  const std::filesystem::path out(flags.out_directory);
  WriteFile(out / "large.txt", output.text());
  WriteFile(out / "large.csv", Csv(rows));
  return status;
}

}  // namespace bloomline::bench
