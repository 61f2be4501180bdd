#ifdef _WIN32
#include "src/support/cpu_features.h"
#include "src/support/windows_calls.h"

namespace bloomline::support {

bool HasArmCrc32() {
  return IsProcessorFeaturePresent(PF_ARM_V8_CRC32_INSTRUCTIONS_AVAILABLE) != 0;
}

}  // namespace bloomline::support
#endif  // _WIN32
