// A heap that gives no large blocks as long as builders keep memory for the next filter.
#ifndef BLOOMLINE_TESTS_SCARCE_HEAP_H_
#define BLOOMLINE_TESTS_SCARCE_HEAP_H_

#include <atomic>
#include <cstddef>

namespace bloomline::tests {

// operator new refuses blocks of this size and more while ReservedBuildMemory() is not 0.
extern std::atomic<size_t> scarce_heap_bytes;
extern std::atomic<size_t> num_refused_by_heap;

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SCARCE_HEAP_H_
