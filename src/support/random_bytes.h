// The system's generator of unpredictable random numbers.
#ifndef BLOOMLINE_SUPPORT_RANDOM_BYTES_H_
#define BLOOMLINE_SUPPORT_RANDOM_BYTES_H_

#include <cstddef>

namespace bloomline::support {

// Fills `bytes` bytes at dst, at most 256. Returns 0, or the errno of the failure; the bytes are
// then undefined. Thread-safe. Blocks only while the machine boots and its generator has no entropy
// yet.
int FillWithRandomBytes(void* dst, size_t bytes);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_RANDOM_BYTES_H_
