#ifndef _WIN32
#include <sys/random.h>  // getentropy in glibc and macOS
#include <unistd.h>      // and in musl and the BSDs

#include "src/support/entropy.h"

namespace bloomline::support {

bool DrawBytes(void* bytes, size_t n) { return getentropy(bytes, n) == 0; }

}  // namespace bloomline::support
#endif  // !_WIN32
