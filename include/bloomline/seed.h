// Seeds that outsiders cannot know. docs/keys.md says where they help and where they do not.
//
//   std::string error;
//   if (!bloomline::DrawSeed(&options.seed, &error)) return 1;  // error says why
#ifndef BLOOMLINE_SEED_H_
#define BLOOMLINE_SEED_H_

#include <cstdint>
#include <string>

namespace bloomline {

// Sets *seed to a number other than 0 from the system's random number generator (getentropy). It is
// meant for the `seed` of any options: of a LevelDB policy, of filters that will be merged, of
// builders that TakeKeysFrom joins.
//
// Returns false if the generator fails. *seed is then left alone, and *error has the reason;
// `error` may be null, and is left alone on success. Thread-safe. Cost: one system call, under a
// microsecond.
bool DrawSeed(uint64_t* seed, std::string* error);

}  // namespace bloomline

#endif  // BLOOMLINE_SEED_H_
