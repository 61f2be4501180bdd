// This process: its ID and its standard streams.
#ifndef BLOOMLINE_SUPPORT_PROCESS_H_
#define BLOOMLINE_SUPPORT_PROCESS_H_

#include <cstdint>

namespace bloomline::support {

// Returns the process ID; in a child of vfork() or clone(), but not of fork(), that of the parent.
// Thread-safe. Cost: a call and a load; getpid() is a system call of 75 ns.
uint64_t ProcessNumber();

// Whether a descriptor is a terminal.
bool IsTerminal(int descriptor);

// If descriptor 0, 1 or 2 is closed, the next file that is opened gets its number: keys would be
// read from the file that is being written, or messages written to it. So each closed descriptor
// gets a file, in a mode in which its use fails. Returns false if the system lacks such a file.
bool PrepareStandardDescriptors();

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_PROCESS_H_
