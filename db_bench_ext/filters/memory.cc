// Queries and builds of filters in memory, through C++ interfaces.
#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "bloomline/bloom_filter.h"
#include "bloomline/filter.h"
#include "bloomline/sizing.h"
#include "db_bench_ext/filters/case.h"
#include "db_bench_ext/filters/query_keys.h"
#include "db_bench_ext/filters/suite.h"

namespace bloomline::bench {
namespace {

class Bloom {
 public:
  Bloom(uint64_t num_keys, double bits_per_key) {
    BloomFilterOptions options;
    options.num_bits = static_cast<uint64_t>(static_cast<double>(num_keys) * bits_per_key);
    options.num_probes = OptimalNumProbes(Format::kBlocked, bits_per_key);
    std::string error;
    filter_ = BloomFilter::Create(options, &error);
    if (filter_ == nullptr) throw std::runtime_error(error);
  }

  void AddKey(std::string_view key) { filter_->AddKey(key); }
  void Finish() {}
  bool MayMatch(std::string_view key) const { return filter_->MayMatch(key); }
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const {
    filter_->MayMatch(n, keys, may_match);
  }
  size_t num_bytes() const { return filter_->num_bits() / 8; }

 private:
  std::unique_ptr<BloomFilter> filter_;
};

// A static filter: a builder of keys, then a view of the bytes.
template <Format format>
class Static {
 public:
  Static(uint64_t, double bits_per_key) : builder_(Options(bits_per_key)) {}

  void AddKey(std::string_view key) { builder_.AddKey(key); }
  void Finish() {
    bytes_ = builder_.Finish();
    if (!builder_.error().empty()) throw std::runtime_error(builder_.error());
    view_ = FilterView::Open(bytes_);
  }
  bool MayMatch(std::string_view key) const { return view_.MayMatch(key); }
  void MayMatch(size_t n, const std::string_view* keys, bool* may_match) const {
    view_.MayMatch(n, keys, may_match);
  }
  size_t num_bytes() const { return bytes_.size(); }

 private:
  static FilterOptions Options(double bits_per_key) {
    FilterOptions options;
    options.format = format;
    options.bits_per_key = bits_per_key;
    return options;
  }

  FilterBuilder builder_;
  std::string bytes_;
  FilterView view_;
};

// Makes a filter and adds the keys 0 to num_keys - 1. Returns the seconds that it took, without
// making the keys.
double Build(const MemorySubject& subject, const Case& c, std::unique_ptr<MemoryFilter>* filter) {
  if (!subject.kernel.empty()) UseKernel(subject.kernel);
  filter->reset();
  char bytes[kChunkKeys * kKeyBytes];
  const double bits_per_key = subject.bits_factor * c.bits_per_key;
  double seconds = SecondsOf([&] { *filter = subject.make(c.num_keys, bits_per_key); });
  for (uint64_t first = 0; first < c.num_keys; first += kChunkKeys) {
    const KeyArray keys = {bytes, std::min<uint64_t>(kChunkKeys, c.num_keys - first)};
    for (size_t i = 0; i < keys.n; ++i) WriteKey(first + i, bytes + i * kKeyBytes);
    seconds += SecondsOf([&] { (*filter)->Add(keys); });
  }
  return seconds + SecondsOf([&] { (*filter)->Finish(); });
}

void Query(const MemoryFilter& filter, const Case& c, std::chrono::microseconds pause,
           benchmark::State& state, uint64_t run) {
  QueryOrder order(c.num_keys, c.hit_percent, run);
  alignas(64) char bytes[kChunkKeys * kKeyBytes];
  bool answers[kChunkKeys];
  const KeyArray keys = {bytes, kChunkKeys};
  // Touches each cache line of ten bits per key about eight times, as WarmUp does.
  const uint64_t warm_up_chunks = c.num_keys / 6 / kChunkKeys + 2;
  TimeQueries(
      c, 8 * static_cast<double>(filter.num_bytes()) / static_cast<double>(c.num_keys),
      warm_up_chunks, order, answers, state,
      [&] {
        order.FillChunk(bytes);
        DoOtherWork(pause);
      },
      [&] { filter.Query(c.mode, keys, answers); });
}

void RegisterBuild(Suite* suite, const MemorySubject& subject, uint64_t num_keys) {
  const Flags& flags = suite->flags();
  const Case c{Kind::kMemoryBuild, subject.name, num_keys, kTableBits};
  const int rounds = num_keys >= 10000000 ? std::min(9, suite->Rounds(c)) : suite->Rounds(c);
  suite->Register(c, 1, rounds, [subject, c, flags](benchmark::State& state, uint64_t) {
    std::unique_ptr<MemoryFilter> filter;
    for (auto _ : state) state.SetIterationTime(Build(subject, c, &filter));
    state.counters[kKeysCounter] = static_cast<double>(c.num_keys);
  });
}

}  // namespace

std::vector<MemorySubject> MemorySubjects() {
  std::vector<MemorySubject> subjects;
  for (const kernels::Kernel* kernel : SupportedKernels())
    subjects.push_back(
        MemorySubjectOf<Bloom>(std::string("BloomFilter ") + kernel->name, kernel->name, 1));
  // Gives ribbon the rate of blocked.
  const double ribbon_factor =
      BitsPerKeyForFalsePositiveRate(Format::kRibbon,
                                     FalsePositiveRate(Format::kBlocked, kTableBits)) /
      kTableBits;
  for (const kernels::Kernel* kernel : SupportedKernels()) {
    const std::string name = kernel->name;
    subjects.push_back(
        MemorySubjectOf<Static<Format::kBlocked>>("static blocked " + name, name, 1));
    subjects.push_back(
        MemorySubjectOf<Static<Format::kRibbon>>("static ribbon " + name, name, ribbon_factor));
  }
  subjects.push_back(SplitBlockSubject("split block (Parquet)", 1));
  // At ten bits per key, where BloomFilter has 0.97 %, this many more give the peer the same.
  subjects.push_back(SplitBlockSubject("split block, equal rate", 1.065));
  return subjects;
}

void RegisterMemory(Suite* suite) {
  const Flags& flags = suite->flags();
  for (const MemorySubject& subject : MemorySubjects()) {
    for (const uint64_t num_keys : flags.sizes) {
      RegisterBuild(suite, subject, num_keys);
      auto filter = std::make_shared<std::unique_ptr<MemoryFilter>>();  // built at the first query
      for (const auto& [hit_percent, mode] :
           {std::pair(0, Mode::kSingle), {100, Mode::kSingle}, {0, Mode::kBatch}}) {
        const Case c{Kind::kMemoryQuery, subject.name, num_keys, kTableBits, hit_percent, mode};
        suite->Register(c, flags.table_query_chunks, suite->Rounds(c),
                        [subject, c, filter, flags](benchmark::State& state, uint64_t run) {
                          if (*filter == nullptr) Build(subject, c, filter.get());
                          Query(**filter, c, flags.pause, state, run);
                        });
      }
    }
  }
}

}  // namespace bloomline::bench
