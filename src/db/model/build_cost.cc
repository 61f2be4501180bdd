#include "src/db/model/build_cost.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace bloomline::model {
namespace {

// A million keys of 16 bytes, 10 bits per key, one thread (db_bench_ext/run --part filters --native
// --bits 10 --benchmark_filter=build; on the EPYC, which had other work, the thread's CPU time in
// place of the elapsed one, medians of five runs). RocksDB builds Bloom filters. kCompact:
// LevelDB's filters of 36 keys on the EPYC (medians of nine runs of FilterPolicy::CreateFilter),
// for both.
struct CostRow {
  Format format;
  double ns[2][3];  // by BuildMachine and BuildKernel; kAvx512 with GFNI
};
constexpr CostRow kRows[] = {{Format::kBloom, {{15, 15, 15}, {10, 10, 10}}},
                             {Format::kRibbon, {{65, 41, 29}, {54, 49, 35}}},
                             {Format::kBlocked, {{14, 12, 12}, {7, 6, 5}}},
                             {Format::kCompact, {{47, 28, 27}, {47, 28, 27}}}};

}  // namespace

const char* Name(BuildMachine machine) {
  return machine == BuildMachine::kEpyc ? "an EPYC of Zen 5" : "an Emerald Rapids Xeon";
}

BuildCpu ThisBuildCpu(std::string_view kernel) {
  BuildCpu cpu;
#if defined(__x86_64__)
  if (__builtin_cpu_is("amd")) cpu.machine = BuildMachine::kEpyc;
#endif
  if (kernel == "avx512") cpu.kernel = BuildKernel::kAvx512;
  if (kernel == "avx2") cpu.kernel = BuildKernel::kAvx2;
  return cpu;
}

double BuildNs(Format format, BuildCpu cpu) {
  const CostRow* const row = std::find_if(std::begin(kRows), std::end(kRows),
                                          [=](const CostRow& one) { return one.format == format; });
  if (row == std::end(kRows)) return 0;
  return row->ns[static_cast<size_t>(cpu.machine)][static_cast<size_t>(cpu.kernel)];
}

// Within 30 % of rocksdb.compaction.times.cpu_micros per key written, with values of 20, 100 and
// 400 bytes, compressed or not, on both machines with RocksDB 7.8.3 (db_bench --num=1500000
// --value_size=V --write_buffer_size=16777216 --target_file_size_base=16777216
// --max_bytes_for_level_base=67108864 --benchmarks=fillrandom,waitforcompaction --statistics).
double CompactionNs(double bytes_per_key) {
  constexpr double kNsPerKey = 300;
  constexpr double kNsPerByte = 2.5;
  return kNsPerKey + kNsPerByte * bytes_per_key;
}

}  // namespace bloomline::model
