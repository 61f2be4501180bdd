#include "bloomline/seed.h"

#include <system_error>

#include "src/support/out_of_memory.h"
#include "src/support/random_bytes.h"

namespace bloomline {

bool DrawSeed(uint64_t* seed, std::string* error) {
  uint64_t drawn = 0;
  while (drawn == 0) {  // 0 means "no seed"
    const int failure = support::FillWithRandomBytes(&drawn, sizeof(drawn));
    if (failure == 0) continue;
    return support::OrError(error, [=](std::string* reason) {
      *reason = "no random seed: the system's generator failed: " +
                std::generic_category().message(failure);
      return false;
    });
  }
  *seed = drawn;
  return true;
}

}  // namespace bloomline
