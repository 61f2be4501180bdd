#include "db_bench_ext/filters/suite.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <regex>
#include <sstream>
#include <utility>

#include "db_bench_ext/support/keys.h"
#include "db_bench_ext/support/machine.h"
#include "db_bench_ext/support/output.h"
#include "db_bench_ext/support/report.h"

namespace bloomline::bench {
namespace {

// Rounds query different keys, so their false-positive rates are averaged.
double Mean(const std::vector<double>& values) {
  if (values.empty()) return NAN;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

PlacedBytes::PlacedBytes(std::string_view bytes) {
  // Large buffers begin on a page boundary, as in malloc.
  const size_t alignment = bytes.size() < 4096 ? kCacheLineBytes : 4096;
  const size_t rounded = (kHeapOffset + bytes.size() + alignment - 1) / alignment * alignment;
  memory_.reset(static_cast<char*>(std::aligned_alloc(alignment, rounded)));
  if (memory_ == nullptr) throw std::bad_alloc();
  std::memcpy(memory_.get() + kHeapOffset, bytes.data(), bytes.size());
  view_ = {memory_.get() + kHeapOffset, bytes.size()};
}

std::string_view FilterStore::Get(const Subject& subject, const Case& c) {
  const auto [entry, is_new] = filters_.try_emplace({subject.family, c.num_keys, c.bits_per_key});
  if (is_new) entry->second = PlacedBytes(subject.Build(c.num_keys, c.bits_per_key));
  return entry->second.view();
}

void WarmUp(std::string_view bytes) {
  constexpr uint64_t kTouchesPerLine = 8;
  const uint64_t touches = kTouchesPerLine * (bytes.size() / kCacheLineBytes + 1);
  unsigned sum = 0;
  for (uint64_t i = 0; i < touches; ++i) {
    sum += static_cast<unsigned char>(bytes[(Mix(i) >> 32) * bytes.size() >> 32]);
  }
  benchmark::DoNotOptimize(sum);
}

Suite::Suite(const Flags& flags, std::vector<Subject> subjects)
    : flags_(flags), subjects_(std::move(subjects)) {
  // Below a million keys a filter is small enough to stay in the second-level cache.
  for (const uint64_t size : flags_.sizes) {
    if (size >= 1000000) table_sizes_.push_back(size);
  }
  if (table_sizes_.empty()) table_sizes_ = {flags_.sizes.back()};
}

void Suite::Register(const Case& c, int64_t iterations, int rounds, const Body& body) {
  const std::string name = c.Name();
  cases_[name] = c;
  auto runs = std::make_shared<uint64_t>(0);
  const auto run = [name, body, runs](benchmark::State& state) {
    Begin(name);
    body(state, (*runs)++);
  };
  rounds_[name] = static_cast<size_t>(rounds);
  benchmark::RegisterBenchmark(name.c_str(), run)
      ->Iterations(iterations)
      ->Repetitions(rounds)
      ->UseManualTime();
}

size_t Suite::NumRuns(const std::string& selection) const {
  const std::regex pattern(selection);
  size_t runs = 0;
  for (const auto& [name, rounds] : rounds_) runs += std::regex_search(name, pattern) ? rounds : 0;
  return runs;
}

bool Suite::IsInTables(const Case& c) const {
  return c.bits_per_key == kTableBits &&
         std::count(table_sizes_.begin(), table_sizes_.end(), c.num_keys) != 0;
}

std::string Case::Name() const {
  std::string name = KindName(kind);
  const auto add = [&name](const char* label, int64_t value) {
    name += std::string("/") + label + ":" + std::to_string(value);
  };
  name += "/" + subject;
  std::replace(name.begin(), name.end(), ' ', '_');
  add("keys", static_cast<int64_t>(num_keys));
  add("bits", bits_per_key);
  if (mode != Mode::kNone) {
    add("hits", hit_percent);
    name += std::string("/") + ModeName(mode);
  }
  return name;
}

void Results::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const std::string& name = run.run_name.function_name;
    const auto known = cases_.find(name);
    if (run.run_type != Run::RT_Iteration || known == cases_.end()) continue;
    const auto counter = [&run](const char* counter_name) {
      const auto found = run.counters.find(counter_name);
      return found == run.counters.end() ? NAN : found->second.value;
    };
    // Not SkipWithError, whose result has another name from Google Benchmark 1.8 on.
    if (counter(kLostCounter) > 0) {
      errors_ += name + ": a key was lost\n";
      continue;
    }
    CaseResult& result = results_[known->second];
    const double keys = counter(kKeysCounter) * static_cast<double>(run.iterations);
    const double median = counter(kChunkNsCounter);
    result.ns.push_back(std::isnan(median) ? 1e9 * run.real_accumulated_time / keys : median);
    if (const double fpr = counter(kFprCounter); !std::isnan(fpr)) result.fprs.push_back(fpr);
    result.written_bits_per_key = counter(kWrittenBitsCounter);
  }
}

const CaseResult* Results::Find(const Case& c) const {
  const auto found = results_.find(c);
  return found == results_.end() ? nullptr : &found->second;
}

double Results::Ns(const Case& c) const {
  const CaseResult* result = Find(c);
  return result == nullptr ? NAN : Median(result->ns);
}

double Results::Fpr(const Case& c) const {
  const CaseResult* result = Find(c);
  return result == nullptr ? NAN : Mean(result->fprs);
}

double Results::WrittenBitsPerKey(const Case& c) const {
  const CaseResult* result = Find(c);
  return result == nullptr ? NAN : result->written_bits_per_key;
}

std::string Results::Csv() const {
  std::ostringstream out;
  out << "kind,subject,keys,bits_per_key,hit_percent,mode,rounds,ns_per_key_median,"
         "ns_per_key_min,ns_per_key_max,fpr,written_bits_per_key,machine\n";
  for (const auto& [c, result] : results_) {
    out << KindName(c.kind) << ',' << c.subject << ',' << c.num_keys << ',' << c.bits_per_key << ','
        << c.hit_percent << ',' << ModeName(c.mode) << ',' << result.ns.size() << ','
        << CsvCells(SpreadOf(result.ns)) << ',' << CsvCell(Mean(result.fprs)) << ','
        << CsvCell(result.written_bits_per_key) << ',' << MachineInOneLine() << '\n';
  }
  return out.str();
}

std::string Results::List() const {
  std::ostringstream out;
  for (const auto& [c, result] : results_) {
    out << c.Name() << "  " << NumberText(Median(result.ns), 3) << " ns/key";
    if (!result.fprs.empty()) out << "  FPR " << NumberText(100 * Mean(result.fprs), 3) << " %";
    if (!std::isnan(result.written_bits_per_key)) {
      out << "  " << NumberText(result.written_bits_per_key, 3) << " bits/key";
    }
    out << "\n";
  }
  return out.str();
}

}  // namespace bloomline::bench
