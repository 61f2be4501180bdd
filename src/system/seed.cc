#include "bloomline/seed.h"

#include <cstring>
#include <new>

#include "src/system/random_bytes.h"

namespace bloomline {

bool DrawSeed(uint64_t* seed, std::string* error) {
  uint64_t drawn = 0;
  while (drawn == 0) {  // 0 means "no seed"
    const int failure = system::FillWithRandomBytes(&drawn, sizeof(drawn));
    if (failure == 0) continue;
    try {
      if (error != nullptr) {
        *error = "no random seed: the system's generator failed: ";
        *error += std::strerror(failure);
      }
    } catch (const std::bad_alloc&) {
      *error = "no random seed";  // short enough to need no memory
    }
    return false;
  }
  *seed = drawn;
  return true;
}

}  // namespace bloomline
