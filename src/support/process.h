// The number of this process.
#ifndef BLOOMLINE_SUPPORT_PROCESS_H_
#define BLOOMLINE_SUPPORT_PROCESS_H_

#include <unistd.h>

#include <cstdint>

namespace bloomline::support {

// Returns the process's number, which a child of fork() does not share. Cost: a system call.
inline uint64_t ProcessNumber() { return static_cast<uint64_t>(getpid()); }

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_PROCESS_H_
