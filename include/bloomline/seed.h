// Secret seeds. Outsiders who know a filter's seed can choose keys that are false positives or that
// overfill it (docs/keys.md).
#ifndef BLOOMLINE_SEED_H_
#define BLOOMLINE_SEED_H_

#include <cstdint>
#include <string>

#include "bloomline/cpp17.h"

namespace bloomline {

// Sets *seed to a nonzero number from the system's random number generator. If that fails, returns
// false, leaves *seed unchanged and sets *error (`error` may be null) to the reason. Thread-safe.
// Costs one system call.
bool DrawSeed(uint64_t* seed, std::string* error);

}  // namespace bloomline

#endif  // BLOOMLINE_SEED_H_
