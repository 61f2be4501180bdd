// The filter that LevelDB gets where the right one cannot be built.
#ifndef BLOOMLINE_ENGINES_LEVELDB_ALWAYS_MATCH_H_
#define BLOOMLINE_ENGINES_LEVELDB_ALWAYS_MATCH_H_

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "src/filter/format/leveldb_codes.h"

namespace bloomline {

// Ends the process if there is neither reserved space nor memory. LevelDB would soon end it anyway,
// when one of its own strings grows. Its log still has the keys.
inline void AppendAlwaysMatch(std::string* dst) {
  try {
    dst->append(filter::kLevelDBAlwaysMatch);
  } catch (const std::exception&) {
    std::fputs("bloomline: out of memory for two bytes of a filter\n", stderr);
    std::abort();
  }
}

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_LEVELDB_ALWAYS_MATCH_H_
