// What is left of a query when the hash is given and nothing is virtual, and the limit below it:
// one load from a random 64-byte line of a buffer of the same size.
#include <algorithm>
#include <cstring>
#include <memory>

#include "bloomline/cpu.h"
#include "bloomline/filter.h"
#include "db_bench_ext/filter_bench_keys.h"
#include "db_bench_ext/filter_bench_suite.h"
#include "src/format/layout.h"
#include "src/format/trailer.h"
#include "src/kernels/kernel.h"

namespace bloomline::bench {
namespace {

constexpr Mode kModes[] = {Mode::kSingle, Mode::kBatch, Mode::kDependent};
constexpr uint64_t kLineBytes = 64;

volatile uint64_t opaque_zero = 0;

// The limit: a line is chosen as a filter would choose it, then one word of it is read. The line
// begins at a multiple of 64, so it is one line to the cache, too.
struct LineLoad {
  const char* lines;
  uint64_t num_lines;

  const char* Word(uint64_t hash) const {
    const uint64_t line = (hash >> 32) * num_lines >> 32;
    return lines + line * kLineBytes + (hash & 7) * sizeof(uint64_t);
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

// A batch goes through the function that users call, which prefetches; the kernel alone does not.
struct KernelQuery {
  const kernels::Kernel* kernel;
  FilterView view;
  kernels::BlockedFilter filter;

  bool One(uint64_t hash) const { return kernel->blocked.may_match(filter, hash); }
  void Many(size_t n, const uint64_t* hashes, bool* answers) const {
    view.MayMatchHashes(n, hashes, answers);
  }
};

template <typename Asked>
void AskAll(const Asked& asked, Mode mode, const uint64_t* hashes, bool* answers) {
  if (mode == Mode::kBatch) {
    for (size_t i = 0; i < kChunkKeys; i += kBatchKeys) {
      asked.Many(kBatchKeys, hashes + i, answers + i);
    }
  } else if (mode == Mode::kDependent) {
    const uint64_t zero = opaque_zero;
    uint64_t change = 0;
    for (size_t i = 0; i < kChunkKeys; ++i) {
      answers[i] = asked.One(hashes[i] ^ change);
      change = static_cast<uint64_t>(answers[i]) & zero;
    }
  } else {
    for (size_t i = 0; i < kChunkKeys; ++i) answers[i] = asked.One(hashes[i]);
  }
}

template <typename Asked>
void Query(const Asked& asked, Mode mode, std::string_view bytes, benchmark::State& state,
           uint64_t run) {
  const auto hashes = std::make_unique<uint64_t[]>(kChunkKeys);
  const auto answers = std::make_unique<bool[]>(kChunkKeys);
  uint64_t counter = run << 32;
  const auto fill = [&] {
    for (size_t i = 0; i < kChunkKeys; ++i) hashes[i] = Mix(0x9e3779b97f4a7c15 * ++counter);
  };
  WarmUp(bytes);
  fill();
  AskAll(asked, mode, hashes.get(), answers.get());
  uint64_t matches = 0, queries = 0;
  for (auto _ : state) {
    fill();
    state.SetIterationTime(SecondsOf([&] { AskAll(asked, mode, hashes.get(), answers.get()); }));
    matches += static_cast<uint64_t>(std::count(&answers[0], &answers[0] + kChunkKeys, true));
    queries += kChunkKeys;
  }
  state.counters[kFprCounter] = static_cast<double>(matches) / static_cast<double>(queries);
  state.counters[kKeysCounter] = static_cast<double>(kChunkKeys);
}

void AskKernel(Suite* suite, const Subject& subject, const Case& c, benchmark::State& state,
               uint64_t run) {
  const std::string_view filter = suite->store().Get(subject, c.num_keys, c.bits_per_key, c.offset);
  const core::Payload payload = core::DecodeStandalone(filter);
  const kernels::KernelTable table = kernels::AllKernels();
  const auto* const* kernel = std::find_if(
      table.kernels, table.kernels + table.size,
      [&](const kernels::Kernel* candidate) { return candidate->name == subject.kernel; });
  const kernels::BlockedFilter lines = core::AsBlocked(payload, payload.data);
  const std::string active = ActiveKernelName();
  ForceKernel(subject.kernel, nullptr);
  Query(KernelQuery{*kernel, FilterView::Open(filter), lines}, c.mode, filter, state, run);
  ForceKernel(active, nullptr);
}

}  // namespace

void RegisterHashQueries(Suite* suite) {
  const FilterBenchFlags& flags = suite->flags();
  const auto register_case = [&](const Case& c, const Body& body) {
    const int chunks = c.mode == Mode::kDependent ? flags.query_chunks / 4 : flags.query_chunks;
    suite->Register(c, std::max(1, chunks), flags.table_rounds, body);
  };
  for (const uint64_t num_keys : flags.sizes) {
    for (const Mode mode : kModes) {
      const Case limit{Kind::kHashQuery, "line load", num_keys, kTableBits, 0, mode, 0};
      register_case(limit, [suite, limit](benchmark::State& state, uint64_t run) {
        PlacedBytes& zeros = suite->store().Zeros(limit.num_keys, limit.bits_per_key);
        Query(LineLoad{zeros.data(), zeros.size() / kLineBytes}, limit.mode, zeros.view(), state,
              run);
      });
      for (const Subject& subject : suite->subjects()) {
        if (subject.family != "blocked") continue;
        const Case c{Kind::kHashQuery, subject.name, num_keys, kTableBits, 0, mode, 0};
        register_case(c, [suite, subject, c](benchmark::State& state, uint64_t run) {
          AskKernel(suite, subject, c, state, run);
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
