// Seeds that outsiders cannot know (docs/keys.md).
#ifndef BLOOMLINE_SEED_H_
#define BLOOMLINE_SEED_H_

#include <cstdint>
#include <string>

namespace bloomline {

// Sets *seed to a number other than 0 from the system's random number generator. Returns false if
// the generator fails: *seed is then left alone, and *error, which may be null, has the reason.
// Thread-safe. Cost: one system call.
bool DrawSeed(uint64_t* seed, std::string* error);

}  // namespace bloomline

#endif  // BLOOMLINE_SEED_H_
