#include "bloomline/seed.h"

#include <sys/random.h>  // getentropy in glibc and macOS
#include <unistd.h>      // and in musl and the BSDs

#include <cerrno>
#include <system_error>

#include "src/support/set_error.h"

namespace bloomline {

bool DrawSeed(uint64_t* seed, std::string* error) {
  uint64_t drawn = 0;
  while (drawn == 0) {  // 0 means "no seed"
    if (getentropy(&drawn, sizeof(drawn)) == 0) continue;
    support::SetError(
        "no random seed: the system's generator failed: " + std::generic_category().message(errno),
        error);
    return false;
  }
  *seed = drawn;
  return true;
}

}  // namespace bloomline
