// Secret seeds. Outsiders who know a filter's seed can choose keys that are false positives or
// overfill it (docs/keys.md).
#ifndef BLOOMLINE_SEED_H_
#define BLOOMLINE_SEED_H_

#include <cstdint>
#include <string>

namespace bloomline {

// Sets *seed to a number other than 0 from the system's random number generator. If that fails,
// returns false and leaves *seed alone; *error (may be null) has the reason. Thread-safe. Cost: one
// system call.
bool DrawSeed(uint64_t* seed, std::string* error);

}  // namespace bloomline

#endif  // BLOOMLINE_SEED_H_
