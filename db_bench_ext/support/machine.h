// The machine and the build that the figures come from.
#ifndef BLOOMLINE_DB_BENCH_EXT_SUPPORT_MACHINE_H_
#define BLOOMLINE_DB_BENCH_EXT_SUPPORT_MACHINE_H_

#include <cstdint>
#include <string>

namespace bloomline::bench {

// Lines of text: processor, compiler, build, kernel.
std::string DescribeMachine();
// DescribeMachine, the engines and the limitations of their builds, BuildWarning. In a library of
// its own, because not every bench links the engines.
std::string DescribeEnvironment();

// A warning line unless the build is Release, else empty.
std::string BuildWarning();

// A warning line if other threads are running at this moment, else empty.
std::string LoadWarning();

// Bytes of memory available without swapping; 0 if unknown.
uint64_t AvailableMemory();

// Peak memory of this process in bytes since the last ResetPeakMemory; 0 if unknown.
uint64_t PeakMemory();
void ResetPeakMemory();

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SUPPORT_MACHINE_H_
