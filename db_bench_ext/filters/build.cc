// Builds through the interface that RocksDB calls: a new builder per filter, AddKey for each key,
// Finish. The time includes making the builder, because RocksDB makes one for each file.
#include <algorithm>
#include <climits>
#include <memory>

#include "db_bench_ext/filters/query_keys.h"
#include "db_bench_ext/filters/suite.h"

namespace bloomline::bench {
namespace {

using rocksdb::Slice;

struct BuildTime {
  double seconds;         // of all
  double finish_seconds;  // of Finish
  size_t written_bytes;
};

BuildTime BuildOne(const Suite& suite, const Subject& subject, const RocksDBPolicy& policy,
                   const Case& c) {
  const size_t key_bytes = suite.flags().key_bytes;
  const auto keys = std::make_unique<char[]>(kChunkKeys * kMaxKeyBytes);
  BuildTime time = {};
  RocksDBBuilder builder;
  time.seconds = SecondsOf([&] { builder = subject.NewBuilder(policy); });
  for (uint64_t first = 0; first < c.num_keys; first += kChunkKeys) {
    const size_t count = std::min<uint64_t>(kChunkKeys, c.num_keys - first);
    for (size_t i = 0; i < count; ++i) WriteKey(first + i, key_bytes, &keys[i * key_bytes]);
    time.seconds += SecondsOf([&] {
      for (size_t i = 0; i < count; ++i) builder->AddKey(Slice(&keys[i * key_bytes], key_bytes));
    });
  }
  std::unique_ptr<const char[]> buffer;
  time.finish_seconds = SecondsOf([&] { time.written_bytes = builder->Finish(&buffer).size(); });
  time.seconds += time.finish_seconds;
  return time;
}

void Build(const Suite& suite, const Subject& subject, const Case& c, benchmark::State& state) {
  const RocksDBPolicy policy = subject.Policy(c.bits_per_key);
  double finish_seconds = 0;
  size_t written_bytes = 0;
  for (auto _ : state) {
    const BuildTime time = BuildOne(suite, subject, policy, c);
    state.SetIterationTime(time.seconds);
    finish_seconds += time.finish_seconds;
    written_bytes = time.written_bytes;
  }
  const auto num_keys = static_cast<double>(c.num_keys);
  const auto iterations = static_cast<double>(state.iterations());
  state.counters[kWrittenBitsCounter] = 8 * static_cast<double>(written_bytes) / num_keys;
  state.counters[kFinishCounter] = 1e9 * finish_seconds / iterations / num_keys;
  state.counters[kKeysCounter] = num_keys;
}

}  // namespace

void RegisterBuilds(Suite* suite) {
  const Flags& flags = suite->flags();
  for (const Subject& subject : suite->subjects()) {
    for (const uint64_t num_keys : flags.sizes) {
      for (const int bits : flags.bits) {
        const bool takes_long = num_keys >= 10000000;
        if ((takes_long || subject.is_seeded) && bits != kTableBits) continue;
        const Case c{Kind::kBuild, subject.name, num_keys, bits};
        // Ribbon takes more than a second for ten million keys.
        const int most = num_keys >= 100000000        ? 1
                         : !takes_long                ? INT_MAX
                         : subject.family == "Ribbon" ? 3
                                                      : 9;
        const int rounds = std::min(most, suite->Rounds(c));
        const auto iterations =
            static_cast<int64_t>(std::max<uint64_t>(1, (flags.quick ? 1000 : 100000) / num_keys));
        suite->Register(c, iterations, rounds,
                        [suite, subject, c](benchmark::State& state, uint64_t) {
                          Build(*suite, subject, c, state);
                        });
      }
    }
  }
}

}  // namespace bloomline::bench
