// The machine and the build that numbers come from.
#ifndef BLOOMLINE_DB_BENCH_EXT_MACHINE_MACHINE_H_
#define BLOOMLINE_DB_BENCH_EXT_MACHINE_MACHINE_H_

#include <cstdint>
#include <string>

namespace bloomline::bench {

// Lines for people: processor, compiler, build, kernel.
std::string DescribeMachine();
// A line that warns unless the build is Release, else nothing.
std::string BuildWarning();

// False, with a line on stderr: the name in BLOOMLINE_KERNEL cannot be used, and figures of another
// kernel than the wanted one mean nothing.
bool KernelVariableIsUsable(const char* program);

// A line that warns if other threads are running at this moment, else nothing.
std::string LoadWarning();

// Memory that could be had now without swapping; 0 if that cannot be known.
uint64_t AvailableMemory();

// The most memory that this process has held since the last ResetPeakMemory; 0 if that cannot be
// known.
uint64_t PeakMemory();
void ResetPeakMemory();

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_MACHINE_MACHINE_H_
