// This process: its number, its CPU and its standard streams.
#ifndef BLOOMLINE_SUPPORT_PROCESS_H_
#define BLOOMLINE_SUPPORT_PROCESS_H_

#include <cstdint>

namespace bloomline::support {

// Returns the process's number, which a child of fork() does not share, unlike one of vfork() or
// clone(). Thread-safe. Cost: a call and a load; getpid() is a system call of 75 ns.
uint64_t ProcessNumber();

// Whether a descriptor is a terminal.
bool IsTerminal(int descriptor);

// Where descriptor 0, 1 or 2 is closed, the next file that is opened would get its number: keys
// would be read from the file that is being written, or messages go there. So each gets a file of
// its own, in a mode in which its use fails. False if the
// system has no such file.
bool PrepareStandardDescriptors();

// Whether an ARM CPU of 64 bits has the instructions of CRC-32 and CRC-32C, which are optional in
// ARMv8.0, and which the compiler's __builtin_cpu_supports does not know. False on other CPUs, and
// where the system does not tell.
bool HasArmCrc32();

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_PROCESS_H_
