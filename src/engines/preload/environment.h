// The settings of the preload libraries at the start of the process.
//
// The headers environment.h, next_function.h and rocksdb_policy.h need only libc: the library that
// is preloaded for RocksDB comes into every child process, and must not bring the C++ library
// there.
#ifndef BLOOMLINE_ENGINES_PRELOAD_ENVIRONMENT_H_
#define BLOOMLINE_ENGINES_PRELOAD_ENVIRONMENT_H_

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bloomline::preload {

// The variables that something of bloomline reads.
enum Variable {
  kFormat,
  kBitsPerKey,
  kBitsByLevel,  // this and the next two: RocksDB only
  kFlushFormat,
  kBloomBeforeLevel,
  kSeed,
  kVerbose,
  kMetrics,
  kMetricsSeconds,
  kKernel,     // read by the kernels
  kLibrary,    // read by the Python package
  kPolicyDir,  // RocksDB only
  kNumVariables
};
constexpr char kVariablePrefix[] = "BLOOMLINE_";
constexpr const char* kVariableNames[] = {"BLOOMLINE_FORMAT",
                                          "BLOOMLINE_BITS_PER_KEY",
                                          "BLOOMLINE_BITS_BY_LEVEL",
                                          "BLOOMLINE_FLUSH_FORMAT",
                                          "BLOOMLINE_BLOOM_BEFORE_LEVEL",
                                          "BLOOMLINE_SEED",
                                          "BLOOMLINE_VERBOSE",
                                          "BLOOMLINE_METRICS",
                                          "BLOOMLINE_METRICS_SECONDS",
                                          "BLOOMLINE_KERNEL",
                                          "BLOOMLINE_LIBRARY",
                                          "BLOOMLINE_POLICY_DIR"};
static_assert(sizeof(kVariableNames) / sizeof(*kVariableNames) == kNumVariables);

struct Environment {
  const char* values[kNumVariables];  // null: not set
  // The names that begin like a variable of bloomline but are unknown, up to a null. Null if there
  // are none.
  const char* const* unknown_names;
};

// Whether the entry is "BLOOMLINE_...=VALUE" with an unknown name.
inline bool IsUnknownVariable(const char* entry) {
  if (std::strncmp(entry, kVariablePrefix, sizeof(kVariablePrefix) - 1) != 0) return false;
  const size_t size = std::strcspn(entry, "=");
  for (const char* const name : kVariableNames) {
    if (std::strlen(name) == size && std::strncmp(entry, name, size) == 0) return false;
  }
  return true;
}

inline const char* const* CaptureUnknownNames() {
  size_t num_names = 0;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    num_names += IsUnknownVariable(*entry) ? 1 : 0;
  }
  if (num_names == 0) return nullptr;
  auto** const names = static_cast<char**>(std::calloc(num_names + 1, sizeof(char*)));
  size_t i = 0;
  for (char** entry = environ; names != nullptr && i < num_names; ++entry) {
    if (IsUnknownVariable(*entry)) names[i++] = strndup(*entry, std::strcspn(*entry, "="));
  }
  return names;
}

// The value of a variable, in new memory; null if it is not set. An environment may have a variable
// twice, and getenv gives the first. If their values differ, this gives a text that no variable
// takes.
inline const char* CaptureValue(const char* name) {
  const size_t size = std::strlen(name);
  const char* first = nullptr;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, name, size) != 0 || (*entry)[size] != '=') continue;
    const char* const value = *entry + size + 1;
    if (first == nullptr) {
      first = value;
    } else if (std::strcmp(first, value) != 0) {
      const size_t text_size = std::strlen(first) + std::strlen(value) + 32;
      auto* const text = static_cast<char*>(std::malloc(text_size));
      if (text != nullptr)
        std::snprintf(text, text_size, "%s%% and, given twice, %s", first, value);
      return text;
    }
  }
  return first == nullptr ? nullptr : strdup(first);
}

// Call this while the process starts: later, a setenv of another thread could run at the same time.
// So this copies the values. In setuid programs they have no effect.
inline Environment CaptureEnvironment() {
  Environment environment = {};
  if (getauxval(AT_SECURE) != 0) return environment;
  for (int i = 0; i < kNumVariables; ++i) {
    environment.values[i] = CaptureValue(kVariableNames[i]);
  }
  environment.unknown_names = CaptureUnknownNames();
  return environment;
}

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_ENVIRONMENT_H_
