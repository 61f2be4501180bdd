#include "bloomline/seed.h"

#include <cerrno>
#include <system_error>

#include "src/support/entropy.h"
#include "src/support/set_error.h"

namespace bloomline {

bool DrawSeed(uint64_t* seed, std::string* error) {
  uint64_t drawn = 0;
  while (drawn == 0) {  // 0 means "no seed"
    if (support::DrawBytes(&drawn, sizeof(drawn))) continue;
    const int failure = errno;
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
