// What building filters costs, beside the compaction that writes them. The constants are CPU times
// on two machines: they show the order of magnitude, and decide which filters come first.
#ifndef BLOOMLINE_DB_MODEL_BUILD_COST_H_
#define BLOOMLINE_DB_MODEL_BUILD_COST_H_

#include <string_view>

#include "bloomline/filter_options.h"

namespace bloomline::model {

// The measured machines.
enum class BuildMachine { kXeon, kEpyc };
const char* Name(BuildMachine machine);  // "an Emerald Rapids Xeon"

enum class BuildKernel { kPortable, kAvx2, kAvx512 };

struct BuildCpu {
  BuildMachine machine = BuildMachine::kXeon;
  BuildKernel kernel = BuildKernel::kPortable;
};
// The measured machine of this CPU's maker, with `kernel`, a name of bloomline/cpu.h.
BuildCpu ThisBuildCpu(std::string_view kernel);

// RocksDB's own builder of its Ribbon filters, on both machines. All other costs are those of what
// the choices name.
constexpr double kRocksDBRibbonBuildNs = 98;

// CPU nanoseconds per key.
double BuildNs(Format format, BuildCpu cpu);

// CPU nanoseconds of RocksDB's compaction per key that it writes, without filters, for tables with
// this number of bytes per key; on both machines.
double CompactionNs(double bytes_per_key);

// A choice whose building takes a larger share of CompactionNs is not the first choice.
constexpr double kMostBuildShare = 0.25;

}  // namespace bloomline::model

#endif  // BLOOMLINE_DB_MODEL_BUILD_COST_H_
