#ifdef _WIN32
#include "src/support/entropy.h"
#include "src/support/windows_calls.h"

namespace bloomline::support {

bool DrawBytes(void* bytes, size_t n) {
  return RtlGenRandom(bytes, static_cast<ULONG>(n)) || FailedCall() == 0;
}

}  // namespace bloomline::support
#endif  // _WIN32
