#include "src/support/random_bytes.h"

#include <sys/random.h>  // getentropy in glibc and macOS
#include <unistd.h>      // and in musl and the BSDs

#include <cerrno>

namespace bloomline::support {

int FillWithRandomBytes(void* dst, size_t bytes) { return getentropy(dst, bytes) == 0 ? 0 : errno; }

}  // namespace bloomline::support
