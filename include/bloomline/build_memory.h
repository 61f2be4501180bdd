// Memory that builders keep for the next filter.
//
// A builder collects 8 bytes per key before it writes a filter. Memory that is new to the process
// costs more time than hashing the keys. So in a process that builds one large filter after the
// other, as a database does in its compactions, builders share a reserve: they take memory from it
// and give it back to it. What to know of it:
//
// - Only memory that was missed is kept: what a builder had to map within a minute after another
//   builder had given memory back. A process that builds one filter keeps nothing. Lists of fewer
//   than 131,072 keys map none; from 8,192 keys on they take what is there, 2 MiB at a time.
// - It counts as resident (RSS), but the system may take it at any time: on Linux it is LazyFree
//   in /proc/PID/smaps.
// - What no builder took for a minute is given back when the next builder is finished or destroyed,
//   or when RocksDB opens a filter. If neither happens, it stays until the system needs it, or
//   until ReleaseBuildMemory.
// - When the library gets no memory, it first gives the reserve back.
//
// All functions are thread-safe, and may be called in the child of a fork. Each shared library that
// contains bloomline has a reserve of its own.
//
// Link bloomline::core (CMake component `core`).
#ifndef BLOOMLINE_BUILD_MEMORY_H_
#define BLOOMLINE_BUILD_MEMORY_H_

#include <cstddef>

namespace bloomline {

// How much the reserve keeps at most, in bytes. The default is 80 MiB: the hashes of 10 million
// keys.
size_t MaxBuildMemory();

// 0 keeps nothing. Rounded down to whole MiB, an even number of them; at most 1 GiB. What the
// reserve has above is given back at once.
void SetMaxBuildMemory(size_t bytes);

// How much the reserve has, in bytes. Builders at work are not counted.
size_t ReservedBuildMemory();

// Gives back to the system what the reserve has.
void ReleaseBuildMemory();

}  // namespace bloomline

#endif  // BLOOMLINE_BUILD_MEMORY_H_
