#include "src/db/advice_model/build_cost.h"

#include <algorithm>
#include <iterator>

namespace bloomline::advice {
namespace {

// A million keys of 16 bytes, 10 bits per key, one thread of an Emerald Rapids Xeon
// (db_bench_ext/run --part filters --native --bits 10 --benchmark_filter=build). RocksDB builds
// Bloom filters.
struct Row {
  Format format;
  double portable_ns;
  double avx2_ns;
  double avx512_ns;  // with GFNI
};
constexpr Row kRows[] = {{Format::kBloom, 15, 15, 15},
                         {Format::kRibbon, 65, 41, 29},
                         {Format::kBlocked, 14, 12, 12},
                         {Format::kCompact, 63, 35, 27}};

}  // namespace

BuildCpu BuildCpuOf(std::string_view kernel) {
  if (kernel == "avx512") return BuildCpu::kAvx512;
  return kernel == "avx2" ? BuildCpu::kAvx2 : BuildCpu::kPortable;
}

double BuildNs(Format format, BuildCpu cpu) {
  const Row* const row = std::find_if(std::begin(kRows), std::end(kRows),
                                      [=](const Row& one) { return one.format == format; });
  if (row == std::end(kRows)) return 0;
  if (cpu == BuildCpu::kAvx512) return row->avx512_ns;
  return cpu == BuildCpu::kAvx2 ? row->avx2_ns : row->portable_ns;
}

// Within 30 % of rocksdb.compaction.times.cpu_micros per key written, with values of 20, 100 and
// 400 bytes, compressed or not, on the same machine with RocksDB 7.8.3 (db_bench --num=1500000
// --value_size=V --write_buffer_size=16777216 --target_file_size_base=16777216
// --max_bytes_for_level_base=67108864 --benchmarks=fillrandom,waitforcompaction --statistics).
double CompactionNs(double bytes_per_key) {
  constexpr double kNsPerKey = 300;
  constexpr double kNsPerByte = 2.5;
  return kNsPerKey + kNsPerByte * bytes_per_key;
}

}  // namespace bloomline::advice
