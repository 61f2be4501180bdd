// The settings of the preload libraries at the start of the process.
//
// The headers environment.h, next_function.h and rocksdb_policy.h need only libc: the library that
// is preloaded for RocksDB comes into every child process, and must not bring the C++ library
// there.
#ifndef BLOOMLINE_ENGINES_PRELOAD_ENVIRONMENT_H_
#define BLOOMLINE_ENGINES_PRELOAD_ENVIRONMENT_H_

#include <sys/auxv.h>
#include <unistd.h>

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
  const char* names;            // of all variables that begin with kPrefix, each with a newline
};

constexpr char kPrefix[] = "BLOOMLINE_";

// Environment::names; null also without memory, and in setuid programs.
inline const char* CaptureNames() {
  if (getauxval(AT_SECURE) != 0) return nullptr;
  char* names = nullptr;
  size_t size = 0;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    if (std::strncmp(*variable, kPrefix, sizeof(kPrefix) - 1) != 0) continue;
    const size_t length = std::strcspn(*variable, "=");
    auto* const longer = static_cast<char*>(std::realloc(names, size + length + 2));
    if (longer == nullptr) break;
    names = longer;
    std::memcpy(names + size, *variable, length);
    size += length + 1;
    names[size - 1] = '\n';
    names[size] = '\0';
  }
  return names;
}

// Call this while the process starts, because a later setenv in another thread could run at the
// same time; for the same reason it copies the values. In setuid programs the variables have no
// effect.
inline Environment CaptureEnvironment() {
  const auto value = [](const char* name) -> const char* {
    const char* const text = secure_getenv(name);
    if (text == nullptr) return nullptr;
    const char* const copy = strdup(text);
    return copy == nullptr ? text : copy;
  };
  return {value("BLOOMLINE_FORMAT"),
          value("BLOOMLINE_BITS_PER_KEY"),
          value("BLOOMLINE_SEED"),
          value("BLOOMLINE_VERBOSE"),
          value("BLOOMLINE_BITS_BY_LEVEL"),
          value("BLOOMLINE_METRICS"),
          value("BLOOMLINE_METRICS_SECONDS"),
          CaptureNames()};
}

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_ENVIRONMENT_H_
