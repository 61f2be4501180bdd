#include "src/support/cpu_features.h"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace bloomline::support {

bool HasArmCrc32() {
#if defined(__aarch64__) && defined(__linux__)
  constexpr unsigned long kHwcapCrc32 = 1ul << 7;
  return (getauxval(AT_HWCAP) & kHwcapCrc32) != 0;
#elif defined(__aarch64__) && defined(__APPLE__)
  return true;  // every CPU that has run macOS
#else
  return false;
#endif
}

}  // namespace bloomline::support
