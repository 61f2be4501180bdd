// Through LevelDB's interface. LevelDB has one small filter per data block, so queries go to
// thousands of different filters: the branch predictors would learn the bits of a few.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db_bench_ext/filters/query_keys.h"
#include "db_bench_ext/filters/suite.h"
#include "db_bench_ext/support/leveldb_filters.h"
#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"

namespace bloomline::bench {
namespace {

using leveldb::Slice;
using LevelDBPolicy = std::unique_ptr<const leveldb::FilterPolicy>;

struct Way {
  std::string policy;
  std::string kernel;  // empty for LevelDB's own filter
};

LevelDBPolicy NewPolicy(const Way& way) {
  if (!way.kernel.empty()) UseKernel(way.kernel);
  return LevelDBPolicy(NewLevelDBPolicy(way.policy, kTableBits));
}

// Filter f holds the keys f * n to f * n + n - 1. Filters follow each other without gaps, as in a
// table file.
struct Filters {
  std::string bytes;
  std::vector<size_t> starts;  // and the end of the last

  uint64_t size() const { return starts.size() - 1; }
  Slice Get(uint64_t i) const { return {bytes.data() + starts[i], starts[i + 1] - starts[i]}; }
};

Filters BuildFilters(const leveldb::FilterPolicy& policy, int num_filters, size_t keys_per_filter) {
  Filters filters;
  std::vector<char> keys(keys_per_filter * kKeyBytes);
  std::vector<Slice> slices;
  for (size_t i = 0; i < keys_per_filter; ++i) slices.emplace_back(&keys[i * kKeyBytes], kKeyBytes);
  filters.starts.push_back(0);
  uint64_t index = 0;
  for (int f = 0; f < num_filters; ++f) {
    for (size_t i = 0; i < keys_per_filter; ++i) WriteKey(index++, &keys[i * kKeyBytes]);
    policy.CreateFilter(slices.data(), static_cast<int>(keys_per_filter), &filters.bytes);
    filters.starts.push_back(filters.bytes.size());
  }
  return filters;
}

void Query(const leveldb::FilterPolicy& policy, const Filters& filters, const Case& c,
           benchmark::State& state, uint64_t run) {
  QueryOrder order(filters.size() * c.num_keys, c.hit_percent, run);
  std::vector<char> keys(kChunkKeys * kKeyBytes);
  std::vector<Slice> queried_filters(kChunkKeys);
  bool answers[kChunkKeys];
  const auto fill = [&] {
    for (size_t i = 0; i < kChunkKeys; ++i) {
      const uint64_t index = order.NextIndex();
      const uint64_t filter = index < kFirstMissingIndex
                                  ? index / c.num_keys
                                  : (Mix(index) >> 32) * filters.size() >> 32;
      queried_filters[i] = filters.Get(filter);
      WriteKey(index, &keys[i * kKeyBytes]);
    }
  };
  const auto query = [&] {
    const auto may_match = [&](size_t i) {
      return policy.KeyMayMatch(Slice(&keys[i * kKeyBytes], kKeyBytes), queried_filters[i]);
    };
    for (size_t i = 0; i < kChunkKeys; ++i) answers[i] = may_match(i);
  };
  WarmUp(filters.bytes);
  const auto num_keys = static_cast<double>(filters.size() * c.num_keys);
  TimeQueries(c, 8 * static_cast<double>(filters.bytes.size()) / num_keys, 2, order, answers, state,
              fill, query);
}

// One timed section builds as many filters as a chunk of keys fills.
void Build(const leveldb::FilterPolicy& policy, const Case& c, benchmark::State& state) {
  const size_t num_filters = std::max<size_t>(1, kChunkKeys / c.num_keys);
  const size_t num_keys = num_filters * c.num_keys;
  std::vector<char> keys(num_keys * kKeyBytes);
  std::vector<Slice> slices;
  for (size_t i = 0; i < num_keys; ++i) slices.emplace_back(&keys[i * kKeyBytes], kKeyBytes);
  std::string bytes;
  uint64_t index = 0;
  for (auto _ : state) {
    for (size_t i = 0; i < num_keys; ++i) WriteKey(index++, &keys[i * kKeyBytes]);
    bytes.clear();
    state.SetIterationTime(SecondsOf([&] {
      for (size_t f = 0; f < num_filters; ++f) {
        policy.CreateFilter(&slices[f * c.num_keys], static_cast<int>(c.num_keys), &bytes);
      }
    }));
  }
  const auto keys_per_iteration = static_cast<double>(num_keys);
  state.counters[kWrittenBitsCounter] = 8 * static_cast<double>(bytes.size()) / keys_per_iteration;
  state.counters[kKeysCounter] = keys_per_iteration;
}

void Register(Suite* suite, const std::string& subject, const Way& way, size_t keys_per_filter) {
  const Flags& flags = suite->flags();
  Case c{Kind::kLevelDBBuild, subject, keys_per_filter, kTableBits};
  suite->Register(
      c, flags.query_chunks, flags.table_rounds,
      [c, way](benchmark::State& state, uint64_t) { Build(*NewPolicy(way), c, state); });
  c.kind = Kind::kLevelDBQuery;
  const auto filters = std::make_shared<const Filters>(
      BuildFilters(*NewPolicy(way), flags.num_leveldb_filters, keys_per_filter));
  c.mode = Mode::kSingle;
  for (const int hit_percent : {0, 100}) {
    c.hit_percent = hit_percent;
    suite->Register(c, flags.query_chunks, flags.table_rounds,
                    [c, way, filters](benchmark::State& state, uint64_t run) {
                      Query(*NewPolicy(way), *filters, c, state, run);
                    });
  }
}

}  // namespace

void RegisterLevelDB(Suite* suite) {
  for (const int keys_per_filter : kLevelDBKeysPerFilter) {
    const auto count = static_cast<size_t>(keys_per_filter);
    for (const kernels::Kernel* kernel : SupportedKernels()) {
      for (const char* format : {"blocked", "compact"})
        Register(suite, std::string(format) + " " + kernel->name, {format, kernel->name}, count);
    }
    Register(suite, "Bloom packaged", {"builtin-bloom", ""}, count);
  }
}

}  // namespace bloomline::bench
