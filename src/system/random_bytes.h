// The system's generator of random numbers that nobody can predict.
#ifndef BLOOMLINE_SYSTEM_RANDOM_BYTES_H_
#define BLOOMLINE_SYSTEM_RANDOM_BYTES_H_

#include <cstddef>

namespace bloomline::system {

// Fills `bytes` bytes, at most 256. 0, or the errno of what failed; then the bytes mean nothing.
// Thread-safe. Waits only while the machine starts and its generator has no entropy yet.
int FillWithRandomBytes(void* dst, size_t bytes);

}  // namespace bloomline::system

#endif  // BLOOMLINE_SYSTEM_RANDOM_BYTES_H_
