// What building filters costs, beside the compaction that writes them. The constants are CPU times
// on one machine: they show the order of magnitude, and decide which filters come first.
#ifndef BLOOMLINE_DB_ADVICE_MODEL_BUILD_COST_H_
#define BLOOMLINE_DB_ADVICE_MODEL_BUILD_COST_H_

#include <string_view>

#include "bloomline/filter_options.h"

namespace bloomline::advice {

// The machine of all figures here.
constexpr char kBuildMachine[] = "an Emerald Rapids Xeon";

enum class BuildCpu { kPortable, kAvx2, kAvx512 };
BuildCpu BuildCpuOf(std::string_view kernel);  // a name of bloomline/cpu.h

// RocksDB's own builder of its Ribbon filters. All other costs are those of what the choices name.
constexpr double kRocksDBRibbonBuildNs = 98;

// CPU nanoseconds per key.
double BuildNs(Format format, BuildCpu cpu);

// CPU nanoseconds of RocksDB's compaction per key that it writes, without filters, for tables with
// this number of bytes per key.
double CompactionNs(double bytes_per_key);

// A choice whose building takes a larger share of CompactionNs is not the first choice.
constexpr double kMostBuildShare = 0.25;

}  // namespace bloomline::advice

#endif  // BLOOMLINE_DB_ADVICE_MODEL_BUILD_COST_H_
