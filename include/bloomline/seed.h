// Random seeds. A filter with a seed that outsiders cannot know resists chosen keys;
// docs/chosen_keys.md says which attacks that prevents and which it does not.
#ifndef BLOOMLINE_SEED_H_
#define BLOOMLINE_SEED_H_

#include <cstdint>
#include <string>

namespace bloomline {

// Sets *seed to a random number other than 0, from the system's generator (getentropy). Use it for
// the `seed` of any options where several filters need the same one: filters to be merged, builders
// that TakeKeysFrom joins, or the policy of a LevelDB database. Returns false if the generator
// fails: *seed is then unchanged, and *error, if not null, gives the reason. Thread-safe. Cost: a
// system call, less than a microsecond.
bool DrawSeed(uint64_t* seed, std::string* error = nullptr);

}  // namespace bloomline

#endif  // BLOOMLINE_SEED_H_
