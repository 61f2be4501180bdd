// Queries by hash, without hashing keys and without virtual calls, and their lower limit: one load
// from a random cache line of a buffer of the same size.

#include <algorithm>
#include <cstring>
#include <memory>

#include "bloomline/filter.h"
#include "db_bench_ext/filters/query_keys.h"
#include "db_bench_ext/filters/suite.h"
#include "db_bench_ext/timing/timing.h"

namespace bloomline::bench {
namespace {

constexpr Mode kModes[] = {Mode::kSingle, Mode::kBatch, Mode::kDependent};

volatile uint64_t opaque_zero = 0;

// The limit: chooses a line as a filter chooses a block, then reads one word of it. Lines begin at
// multiples of 64 bytes, so each is one cache line.
struct LineLoad {
  const char* lines;
  uint64_t num_lines;

  const char* Word(uint64_t hash) const {
    const uint64_t line = (hash >> 32) * num_lines >> 32;
    return lines + line * kCacheLineBytes + (hash & 7) * sizeof(uint64_t);
  }
  static bool IsSet(const char* word) {
    uint64_t value;
    std::memcpy(&value, word, sizeof(value));
    return value != 0;
  }

  bool One(uint64_t hash) const { return IsSet(Word(hash)); }
  void Many(size_t n, const uint64_t* hashes, bool* answers) const {
    const char* words[kBatchKeys];
    for (size_t i = 0; i < n; ++i) {
      words[i] = Word(hashes[i]);
      __builtin_prefetch(words[i]);
    }
    for (size_t i = 0; i < n; ++i) answers[i] = IsSet(words[i]);
  }
};

// What users call with a hash at hand.
class FilterQuery {
 public:
  FilterQuery(std::string_view filter, const std::string& kernel_name) {
    UseKernel(kernel_name);
    view_ = FilterView::Open(filter);  // takes the kernel that is active now
  }

  bool One(uint64_t hash) const { return view_.MayMatchHash(hash); }
  void Many(size_t n, const uint64_t* hashes, bool* answers) const {
    view_.MayMatchHashes(n, hashes, answers);
  }

 private:
  FilterView view_;
};

template <typename Filter>
void QueryAll(const Filter& filter, Mode mode, const uint64_t* hashes, bool* answers) {
  if (mode == Mode::kBatch) {
    for (size_t i = 0; i < kChunkKeys; i += kBatchKeys) {
      filter.Many(kBatchKeys, hashes + i, answers + i);
    }
  } else if (mode == Mode::kDependent) {
    const uint64_t zero = opaque_zero;
    uint64_t change = 0;
    for (size_t i = 0; i < kChunkKeys; ++i) {
      answers[i] = filter.One(hashes[i] ^ change);
      change = static_cast<uint64_t>(answers[i]) & zero;
    }
  } else {
    for (size_t i = 0; i < kChunkKeys; ++i) answers[i] = filter.One(hashes[i]);
  }
}

template <typename Filter>
void Query(const Filter& filter, Mode mode, std::string_view bytes, benchmark::State& state,
           uint64_t run) {
  const auto hashes = std::make_unique<uint64_t[]>(kChunkKeys);
  const auto answers = std::make_unique<bool[]>(kChunkKeys);
  uint64_t counter = run << 32;
  const auto fill = [&] {
    for (size_t i = 0; i < kChunkKeys; ++i) hashes[i] = Mix(kGoldenRatio * ++counter);
  };
  WarmUp(bytes);
  fill();
  QueryAll(filter, mode, hashes.get(), answers.get());
  uint64_t matches = 0, queries = 0;
  for (auto _ : state) {
    fill();
    state.SetIterationTime(SecondsOf([&] { QueryAll(filter, mode, hashes.get(), answers.get()); }));
    matches += static_cast<uint64_t>(std::count(&answers[0], &answers[0] + kChunkKeys, true));
    queries += kChunkKeys;
  }
  state.counters[kFprCounter] = static_cast<double>(matches) / static_cast<double>(queries);
  state.counters[kKeysCounter] = static_cast<double>(kChunkKeys);
}

void MeasureFilter(Suite* suite, const Subject& subject, const Case& c, benchmark::State& state,
                   uint64_t run) {
  const std::string_view filter = suite->store().Get(subject, c.num_keys, c.bits_per_key, c.offset);
  Query(FilterQuery(filter, subject.kernel), c.mode, filter, state, run);
}

}  // namespace

void RegisterHashQueries(Suite* suite) {
  const Flags& flags = suite->flags();
  const auto register_case = [&](const Case& c, const Body& body) {
    const int chunks = c.mode == Mode::kDependent ? flags.query_chunks / 4 : flags.query_chunks;
    suite->Register(c, std::max(1, chunks), flags.table_rounds, body);
  };
  for (const uint64_t num_keys : flags.sizes) {
    for (const Mode mode : kModes) {
      const Case limit{Kind::kHashQuery, "line load", num_keys, kTableBits, 0, mode, 0};
      register_case(limit, [suite, limit](benchmark::State& state, uint64_t run) {
        PlacedBytes& zeros = suite->store().Zeros(limit.num_keys, limit.bits_per_key);
        Query(LineLoad{zeros.data(), zeros.size() / kCacheLineBytes}, limit.mode, zeros.view(),
              state, run);
      });
      for (const Subject& subject : suite->subjects()) {
        if (subject.family != "blocked") continue;
        const Case c{Kind::kHashQuery, subject.name, num_keys, kTableBits, 0, mode, 0};
        register_case(c, [suite, subject, c](benchmark::State& state, uint64_t run) {
          MeasureFilter(suite, subject, c, state, run);
        });
      }
    }
  }
  Case nothing;
  nothing.subject = "clock";
  suite->Register(nothing, flags.query_chunks, flags.table_rounds,
                  [](benchmark::State& state, uint64_t) {
                    for (auto _ : state) state.SetIterationTime(SecondsOf([] {}));
                    state.counters[kKeysCounter] = static_cast<double>(kChunkKeys);
                  });
}

}  // namespace bloomline::bench
