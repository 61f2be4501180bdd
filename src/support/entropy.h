// The system's random generator.
#ifndef BLOOMLINE_SUPPORT_ENTROPY_H_
#define BLOOMLINE_SUPPORT_ENTROPY_H_

#include <cstddef>

namespace bloomline::support {

// Fills at most 256 bytes. False, with errno, on failure. Thread-safe. Blocks only while the
// machine boots and its generator has no entropy yet.
bool DrawBytes(void* bytes, size_t n);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_ENTROPY_H_
