// Queries by hash, without hashing keys and without virtual calls, and their lower limit: one load
// from a random cache line of a buffer of the same size.

#include <cmath>
#include <cstring>

#include "bloomline/filter.h"
#include "db_bench_ext/filters/query_keys.h"
#include "db_bench_ext/filters/suite.h"

namespace bloomline::bench {
namespace {

constexpr Mode kModes[] = {Mode::kSingle, Mode::kBatch, Mode::kDependent};

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
struct Queries {
  const Filter& filter;
  const uint64_t* hashes;

  bool One(size_t i, uint64_t zero) const { return filter.One(hashes[i] ^ zero); }
  void Many(size_t i, bool* answers) const { filter.Many(kBatchKeys, hashes + i, answers); }
};

template <typename Filter>
void Query(const Filter& filter, const Case& c, std::string_view bytes, benchmark::State& state,
           uint64_t run) {
  uint64_t hashes[kChunkKeys];
  bool answers[kChunkKeys];
  uint64_t counter = run << 32;
  const Queries<Filter> queries{filter, hashes};
  WarmUp(bytes);
  TimeQueries(
      c, NAN, 1, answers, state,
      [&] {
        for (uint64_t& hash : hashes) hash = Mix(kGoldenRatio * ++counter);
      },
      [&] { QueryChunk(queries, c.mode, answers); });
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
        Query(LineLoad{zeros.data(), zeros.size() / kCacheLineBytes}, limit, zeros.view(), state,
              run);
      });
      for (const Subject& subject : suite->subjects()) {
        if (subject.family != "blocked") continue;
        const Case c{Kind::kHashQuery, subject.name, num_keys, kTableBits, 0, mode, 0};
        register_case(c, [suite, subject, c](benchmark::State& state, uint64_t run) {
          const std::string_view filter =
              suite->store().Get(subject, c.num_keys, c.bits_per_key, c.offset);
          Query(FilterQuery(filter, subject.kernel), c, filter, state, run);
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
