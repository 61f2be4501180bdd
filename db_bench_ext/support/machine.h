// The machine and the build that the figures come from.
#ifndef BLOOMLINE_DB_BENCH_EXT_SUPPORT_MACHINE_H_
#define BLOOMLINE_DB_BENCH_EXT_SUPPORT_MACHINE_H_

#include <cstdint>
#include <string>

namespace bloomline::bench {

// Lines of text: processor, build, kernel, the engines and the limitations of their builds; a
// warning unless the build is Release.
std::string DescribeEnvironment();
// The same in a cell of a CSV: without commas.
std::string MachineInOneLine();

// A warning line if other threads are running at this moment, else empty.
std::string LoadWarning();

// Peak memory of this process in bytes; 0 if unknown.
uint64_t PeakMemory();

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SUPPORT_MACHINE_H_
