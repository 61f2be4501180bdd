// Memory that builders keep for the next filter.
//
// A builder collects 8 bytes per key before it writes a filter. Memory that is new to the process
// costs more time than hashing the keys. So all builders of a process share a reserve: they take
// memory from it and return memory to it. It serves processes that build one large filter after the
// other, as a database does in its compactions.
//
// - Only memory that was missed is kept: what a builder had to map within a minute after another
//   builder had returned memory. A process that builds one filter keeps nothing. A builder of fewer
//   than 131,072 keys maps none; from 8,192 keys on it uses the reserve if it has memory, 2 MiB at
//   a time.
// - The reserve counts as resident memory (RSS), but the system may take it at any time: on Linux
//   it is LazyFree in /proc/PID/smaps.
// - What no builder took for a minute is given back to the system when the next builder is finished
//   or destroyed, or when RocksDB opens a filter. If neither happens, it stays until the system
//   needs it, or until ReleaseBuildMemory.
// - When the library cannot get memory, it gives the reserve back to the system and tries again.
//
// All functions are thread-safe, and may be called in the child of a fork. Each shared library that
// contains bloomline has a reserve of its own.
//
// Link bloomline::core (CMake component `core`).
#ifndef BLOOMLINE_BUILD_MEMORY_H_
#define BLOOMLINE_BUILD_MEMORY_H_

#include <cstddef>

namespace bloomline {

// The most bytes that the reserve keeps. The default is 80 MiB: the hashes of 10 million keys.
size_t MaxBuildMemory();

// Sets that limit, rounded down to a multiple of 2 MiB; at most 1 GiB. 0 keeps nothing. What the
// reserve has above the limit is given back to the system at once.
void SetMaxBuildMemory(size_t bytes);

// The bytes that the reserve has now. What builders are using is not counted.
size_t ReservedBuildMemory();

// Gives all memory of the reserve back to the system.
void ReleaseBuildMemory();

}  // namespace bloomline

#endif  // BLOOMLINE_BUILD_MEMORY_H_
