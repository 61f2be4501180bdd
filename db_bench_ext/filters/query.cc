// Queries through the interface that RocksDB calls: a virtual call per key, or per batch of 32.
#include <algorithm>
#include <memory>
#include <thread>

#include "db_bench_ext/filters/query_keys.h"
#include "db_bench_ext/filters/suite.h"
#include "db_bench_ext/timing/timing.h"

namespace bloomline::bench {
namespace {

using rocksdb::FilterBitsReader;
using rocksdb::Slice;

constexpr int kHitPercents[] = {0, 50, 100};
constexpr Mode kModes[] = {Mode::kSingle, Mode::kBatch, Mode::kDependent};

// The compiler does not know that it is 0.
volatile size_t opaque_zero = 0;

// Keys and answers of one timed section. Answers go to memory and are counted afterwards.
class Chunk {
 public:
  Chunk(size_t key_bytes, QueryOrder order) : key_bytes_(key_bytes), order_(order) {
    for (size_t i = 0; i < kChunkKeys; ++i) {
      slices_[i] = Slice(keys_ + i * key_bytes, key_bytes);
      pointers_[i] = &slices_[i];
    }
  }

  void Fill() { order_.FillChunk(key_bytes_, keys_); }

  void Query(FilterBitsReader* reader, Mode mode) {
    if (mode == Mode::kBatch) {
      QueryInBatches(reader);
    } else if (mode == Mode::kDependent) {
      QueryDependently(reader);
    } else {
      QuerySingly(reader);
    }
  }

  uint64_t NumMatches() const {
    return static_cast<uint64_t>(std::count(answers_, answers_ + kChunkKeys, true));
  }

 private:
  void QuerySingly(FilterBitsReader* reader) {
    for (size_t i = 0; i < kChunkKeys; ++i) {
      answers_[i] = reader->MayMatch(Slice(keys_ + i * key_bytes_, key_bytes_));
    }
  }

  // If a filter branches on its bits, the processor predicts the answer and goes on, here as in a
  // real caller; if it computes the answer, the processor waits for it.
  void QueryDependently(FilterBitsReader* reader) {
    const size_t zero = opaque_zero;
    size_t shift = 0;
    for (size_t i = 0; i < kChunkKeys; ++i) {
      answers_[i] = reader->MayMatch(Slice(keys_ + i * key_bytes_ + shift, key_bytes_));
      shift = static_cast<size_t>(answers_[i]) & zero;
    }
  }

  void QueryInBatches(FilterBitsReader* reader) {
    for (size_t i = 0; i < kChunkKeys; i += kBatchKeys) {
      reader->MayMatch(static_cast<int>(kBatchKeys), pointers_ + i, answers_ + i);
    }
  }

  const size_t key_bytes_;
  QueryOrder order_;
  alignas(64) char keys_[kChunkKeys * kMaxKeyBytes];
  Slice slices_[kChunkKeys];
  Slice* pointers_[kChunkKeys];
  bool answers_[kChunkKeys];
};

void Query(Suite* suite, const Subject& subject, const Case& c, benchmark::State& state,
           uint64_t run) {
  const std::string_view filter = suite->store().Get(subject, c.num_keys, c.bits_per_key, c.offset);
  const RocksDBPolicy policy = subject.Policy(c.bits_per_key);
  const RocksDBReader reader = subject.NewReader(policy, Slice(filter.data(), filter.size()));
  const auto chunk =
      std::make_unique<Chunk>(suite->flags().key_bytes, QueryOrder(c.num_keys, c.hit_percent, run));
  WarmUp(filter);
  for (int i = 0; i < 2; ++i) {
    chunk->Fill();
    chunk->Query(reader.get(), c.mode);
  }

  uint64_t matches = 0, queries = 0;
  for (auto _ : state) {
    chunk->Fill();
    state.SetIterationTime(SecondsOf([&] { chunk->Query(reader.get(), c.mode); }));
    matches += chunk->NumMatches();
    queries += kChunkKeys;
  }
  if (c.hit_percent == 100) state.counters[kLostCounter] = static_cast<double>(queries - matches);
  const auto average = [](double value) {
    return benchmark::Counter(value, benchmark::Counter::kAvgThreads);
  };
  if (c.hit_percent == 0) {
    state.counters[kFprCounter] =
        average(static_cast<double>(matches) / static_cast<double>(queries));
  }
  state.counters[kWrittenBitsCounter] =
      average(8 * static_cast<double>(filter.size()) / static_cast<double>(c.num_keys));
  state.counters[kKeysCounter] = average(static_cast<double>(kChunkKeys));
}

void Register(Suite* suite, const Subject& subject, const Case& c) {
  const Flags& flags = suite->flags();
  int chunks = suite->IsInTables(c) ? flags.table_query_chunks : flags.query_chunks;
  if (c.mode == Mode::kDependent)
    chunks = std::max(1, chunks / 4);  // such queries take several times as long
  suite->Register(c, chunks, suite->Rounds(c),
                  [suite, subject, c](benchmark::State& state, uint64_t run) {
                    Query(suite, subject, c, state, run);
                  });
}

std::vector<int> ThreadCounts() {
  const int all = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<int> counts;
  for (int count = 1; count < all; count *= 2) counts.push_back(count);
  counts.push_back(all);
  return counts;
}

}  // namespace

void RegisterQueries(Suite* suite) {
  const auto is_table_size = [&](uint64_t size) {
    const auto& sizes = suite->table_sizes();
    return std::find(sizes.begin(), sizes.end(), size) != sizes.end();
  };
  for (const Subject& subject : suite->subjects()) {
    for (const uint64_t num_keys : suite->flags().sizes) {
      for (const int bits : suite->flags().bits) {
        // Several filters of this size would not fit into ordinary machines.
        if ((num_keys >= 100000000 || subject.is_seeded) && bits != kTableBits) continue;
        for (const int hit_percent : kHitPercents) {
          for (const Mode mode : kModes) {
            Register(suite, subject,
                     {Kind::kQuery, subject.name, num_keys, bits, hit_percent, mode, kHeapOffset});
          }
        }
      }
      if (!is_table_size(num_keys) || subject.is_seeded) continue;
      for (const int offset : kOffsets) {
        for (const Mode mode : {Mode::kSingle, Mode::kBatch}) {
          if (offset == kHeapOffset || subject.family == "Ribbon") continue;
          Register(suite, subject,
                   {Kind::kQuery, subject.name, num_keys, kTableBits, 0, mode, offset});
        }
      }
      if (!suite->flags().threads) continue;
      for (const int threads : ThreadCounts()) {
        if (threads == 1) continue;  // already registered above
        Register(suite, subject,
                 {Kind::kQuery, subject.name, num_keys, kTableBits, 0, Mode::kSingle, kHeapOffset,
                  threads});
      }
    }
  }
}

}  // namespace bloomline::bench
