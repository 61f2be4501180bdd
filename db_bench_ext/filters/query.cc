// Queries through the interface that RocksDB calls: a virtual call per key, or per batch of 32.
#include <algorithm>
#include <thread>

#include "db_bench_ext/filters/query_keys.h"
#include "db_bench_ext/filters/suite.h"

namespace bloomline::bench {
namespace {

using rocksdb::FilterBitsReader;
using rocksdb::Slice;

constexpr int kHitPercents[] = {0, 50, 100};
constexpr Mode kModes[] = {Mode::kSingle, Mode::kBatch, Mode::kDependent};

struct Queries {
  FilterBitsReader* reader;
  const char* keys;
  size_t key_bytes;
  Slice** slices;

  bool One(size_t i, uint64_t zero) const {
    return reader->MayMatch(Slice(keys + i * key_bytes + zero, key_bytes));
  }
  void Many(size_t i, bool* answers) const {
    reader->MayMatch(static_cast<int>(kBatchKeys), slices + i, answers);
  }
};

void Query(Suite* suite, const Subject& subject, const Case& c, benchmark::State& state,
           uint64_t run) {
  const std::string_view filter = suite->store().Get(subject, c.num_keys, c.bits_per_key, c.offset);
  const RocksDBPolicy policy = subject.Policy(c.bits_per_key);
  const RocksDBReader reader = subject.NewReader(policy, Slice(filter.data(), filter.size()));
  const size_t key_bytes = suite->flags().key_bytes;
  alignas(64) char keys[kChunkKeys * kMaxKeyBytes];
  Slice slices[kChunkKeys];
  Slice* pointers[kChunkKeys];
  bool answers[kChunkKeys];
  for (size_t i = 0; i < kChunkKeys; ++i) {
    slices[i] = Slice(keys + i * key_bytes, key_bytes);
    pointers[i] = &slices[i];
  }
  QueryOrder order(c.num_keys, c.hit_percent, run);
  const Queries queries{reader.get(), keys, key_bytes, pointers};
  WarmUp(filter);
  TimeQueries(
      c, 8 * static_cast<double>(filter.size()) / static_cast<double>(c.num_keys), 2, answers,
      state, [&] { order.FillChunk(key_bytes, keys); },
      [&] { QueryChunk(queries, c.mode, answers); });
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
