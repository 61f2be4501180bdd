// The machine and the build that the figures come from.
#ifndef BLOOMLINE_DB_BENCH_EXT_MACHINE_MACHINE_H_
#define BLOOMLINE_DB_BENCH_EXT_MACHINE_MACHINE_H_

#include <cstdint>
#include <string>

namespace bloomline::bench {

// Lines of text: processor, compiler, build, kernel.
std::string DescribeMachine();
// A warning line unless the build is Release, else empty.
std::string BuildWarning();

// False if the kernel in BLOOMLINE_KERNEL cannot be used; reports it on stderr. A bench then ends,
// because figures of another kernel would be misleading.
bool KernelVariableIsUsable(const char* program);

// A warning line if other threads are running at this moment, else empty.
std::string LoadWarning();

// Bytes of memory available without swapping; 0 if unknown.
uint64_t AvailableMemory();

// Peak memory of this process in bytes since the last ResetPeakMemory; 0 if unknown.
uint64_t PeakMemory();
void ResetPeakMemory();

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_MACHINE_MACHINE_H_
