// Seeds that outsiders cannot know. docs/chosen_keys.md says where they help and where they do not.
#ifndef BLOOMLINE_SEED_H_
#define BLOOMLINE_SEED_H_

#include <cstdint>
#include <string>

namespace bloomline {

// Sets *seed to a number other than 0 from the system's generator (getentropy), for the `seed` of
// any options: of filters that are merged, of builders in several threads that TakeKeysFrom joins,
// or of a LevelDB policy. False, and *seed is untouched, when the generator fails; then *error, if
// not null, says why. Thread-safe. Cost: a system call, under a microsecond.
bool DrawSeed(uint64_t* seed, std::string* error = nullptr);

}  // namespace bloomline

#endif  // BLOOMLINE_SEED_H_
