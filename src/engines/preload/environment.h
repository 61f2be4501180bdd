// The settings of the preload libraries at the start of the process.
//
// The headers environment.h, next_function.h and rocksdb_policy.h need only libc: the library that
// is preloaded for RocksDB comes into every child process, and must not bring the C++ library
// there.
#ifndef BLOOMLINE_ENGINES_PRELOAD_ENVIRONMENT_H_
#define BLOOMLINE_ENGINES_PRELOAD_ENVIRONMENT_H_

#include <cstdlib>
#include <cstring>

namespace bloomline::preload {

// Null: not set.
struct Environment {
  const char* format;           // BLOOMLINE_FORMAT
  const char* bits_per_key;     // BLOOMLINE_BITS_PER_KEY
  const char* seed;             // BLOOMLINE_SEED
  const char* verbose;          // BLOOMLINE_VERBOSE
  const char* bits_by_level;    // BLOOMLINE_BITS_BY_LEVEL; RocksDB only
  const char* metrics;          // BLOOMLINE_METRICS
  const char* metrics_seconds;  // BLOOMLINE_METRICS_SECONDS
};

// To be called while the process starts: later, a setenv of another thread could run at the same
// time. So it copies the values. In setuid programs they have no effect.
inline Environment CaptureEnvironment() {
  const auto value = [](const char* name) -> const char* {
    const char* const text = secure_getenv(name);
    if (text == nullptr) return nullptr;
    const char* const copy = strdup(text);
    return copy == nullptr ? text : copy;
  };
  return {value("BLOOMLINE_FORMAT"),         value("BLOOMLINE_BITS_PER_KEY"),
          value("BLOOMLINE_SEED"),           value("BLOOMLINE_VERBOSE"),
          value("BLOOMLINE_BITS_BY_LEVEL"),  value("BLOOMLINE_METRICS"),
          value("BLOOMLINE_METRICS_SECONDS")};
}

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_ENVIRONMENT_H_
