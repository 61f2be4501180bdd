// Through the interface that RocksDB calls. Queries: a virtual call per key, or per batch of 32.
// Builds: a new builder per filter, because RocksDB makes one for each file, AddKey for each key,
// Finish; making the builder is part of the time.
#include <algorithm>
#include <climits>
#include <memory>
#include <vector>

#include "db_bench_ext/filters/query_keys.h"
#include "db_bench_ext/filters/suite.h"

namespace bloomline::bench {
namespace {

using rocksdb::FilterBitsReader;
using rocksdb::Slice;

struct Stream {
  Mode mode;
  int hit_percent;
};
constexpr Stream kStreams[] = {{Mode::kSingle, 0},
                               {Mode::kSingle, 100},
                               {Mode::kBranching, 50},
                               {Mode::kBatch, 0},
                               {Mode::kBatch, 50}};

// Queries the kChunkKeys keys of `slices`.
void QueryChunk(FilterBitsReader* reader, Slice** slices, Mode mode, bool* answers) {
  if (mode == Mode::kBatch) {
    for (size_t i = 0; i < kChunkKeys; i += kBatchKeys)
      reader->MayMatch(static_cast<int>(kBatchKeys), slices + i, answers + i);
  } else if (mode == Mode::kBranching) {
    for (size_t i = 0; i < kChunkKeys; ++i) BranchOn(reader->MayMatch(*slices[i]), answers + i);
  } else {
    for (size_t i = 0; i < kChunkKeys; ++i) answers[i] = reader->MayMatch(*slices[i]);
  }
}

void Query(Suite* suite, const Subject& subject, const Case& c, benchmark::State& state,
           uint64_t run) {
  const std::string_view filter = suite->store().Get(subject, c);
  const RocksDBPolicy policy = subject.Policy(c.bits_per_key);
  const RocksDBReader reader = subject.NewReader(policy, Slice(filter.data(), filter.size()));
  alignas(64) char keys[kChunkKeys * kKeyBytes];
  Slice slices[kChunkKeys];
  Slice* pointers[kChunkKeys];
  bool answers[kChunkKeys];
  for (size_t i = 0; i < kChunkKeys; ++i) {
    slices[i] = Slice(keys + i * kKeyBytes, kKeyBytes);
    pointers[i] = &slices[i];
  }
  QueryOrder order(c.num_keys, c.hit_percent, run);
  WarmUp(filter);
  TimeQueries(
      c, 8 * static_cast<double>(filter.size()) / static_cast<double>(c.num_keys), 2, order,
      answers, state,
      [&] {
        order.FillChunk(keys);
        DoOtherWork(suite->flags().pause);
      },
      [&] { QueryChunk(reader.get(), pointers, c.mode, answers); });
}

void Register(Suite* suite, const Subject& subject, const Case& c) {
  const Flags& flags = suite->flags();
  const int chunks = suite->IsInTables(c) ? flags.table_query_chunks : flags.query_chunks;
  suite->Register(c, chunks, suite->Rounds(c),
                  [suite, subject, c](benchmark::State& state, uint64_t run) {
                    Query(suite, subject, c, state, run);
                  });
}

struct BuildTime {
  double seconds;
  size_t written_bytes;
};

BuildTime BuildOne(const Subject& subject, const RocksDBPolicy& policy, const Case& c) {
  const auto keys = std::make_unique<char[]>(kChunkKeys * kKeyBytes);
  BuildTime time = {};
  RocksDBBuilder builder;
  time.seconds = CpuSecondsOf([&] { builder = subject.NewBuilder(policy); });
  for (uint64_t first = 0; first < c.num_keys; first += kChunkKeys) {
    const size_t count = std::min<uint64_t>(kChunkKeys, c.num_keys - first);
    for (size_t i = 0; i < count; ++i) WriteKey(first + i, &keys[i * kKeyBytes]);
    time.seconds += CpuSecondsOf([&] {
      for (size_t i = 0; i < count; ++i) builder->AddKey(Slice(&keys[i * kKeyBytes], kKeyBytes));
    });
  }
  std::unique_ptr<const char[]> buffer;
  time.seconds += CpuSecondsOf([&] { time.written_bytes = builder->Finish(&buffer).size(); });
  return time;
}

void Build(const Subject& subject, const Case& c, benchmark::State& state) {
  const RocksDBPolicy policy = subject.Policy(c.bits_per_key);
  size_t written_bytes = 0;
  for (auto _ : state) {
    const BuildTime time = BuildOne(subject, policy, c);
    state.SetIterationTime(time.seconds);
    written_bytes = time.written_bytes;
  }
  const auto num_keys = static_cast<double>(c.num_keys);
  state.counters[kWrittenBitsCounter] = 8 * static_cast<double>(written_bytes) / num_keys;
  state.counters[kKeysCounter] = num_keys;
}

}  // namespace

void RegisterQueries(Suite* suite) {
  for (const Subject& subject : suite->subjects()) {
    for (const uint64_t num_keys : suite->flags().sizes) {
      for (const int bits : suite->flags().bits) {
        if (subject.is_variant && bits != kTableBits) continue;
        for (const Stream& stream : kStreams) {
          Register(suite, subject,
                   {Kind::kQuery, subject.name, num_keys, bits, stream.hit_percent, stream.mode});
        }
      }
    }
  }
}

void RegisterBuilds(Suite* suite) {
  const Flags& flags = suite->flags();
  for (const Subject& subject : suite->subjects()) {
    for (const uint64_t num_keys : flags.sizes) {
      for (const int bits : flags.bits) {
        const bool takes_long = num_keys >= 10000000;
        if ((takes_long || subject.is_variant) && bits != kTableBits) continue;
        const Case c{Kind::kBuild, subject.name, num_keys, bits};
        // Ribbon takes more than a second for ten million keys.
        const int most = !takes_long ? INT_MAX : subject.family == "Ribbon" ? 3 : 9;
        const int rounds = std::min(most, suite->Rounds(c));
        const auto iterations =
            static_cast<int64_t>(std::max<uint64_t>(1, (flags.quick ? 1000 : 100000) / num_keys));
        suite->Register(c, iterations, rounds, [subject, c](benchmark::State& state, uint64_t) {
          Build(subject, c, state);
        });
      }
    }
  }
}

}  // namespace bloomline::bench
