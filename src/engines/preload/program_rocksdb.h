// Finds out which version of RocksDB is in a file of the program, and which policy library fits it.
#ifndef BLOOMLINE_ENGINES_PRELOAD_PROGRAM_ROCKSDB_H_
#define BLOOMLINE_ENGINES_PRELOAD_PROGRAM_ROCKSDB_H_

#include <dlfcn.h>
#include <limits.h>
#include <link.h>

#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "src/engines/preload/environment.h"
#include "src/engines/preload/next_function.h"
#include "src/engines/rocksdb/builder/tested_versions.h"

namespace bloomline::preload {

// With GNU's std::string of 2015 and later, and with its older one. libc++'s has the second name,
// too, so that one needs a function whose argument is an old string. The policy library calls all
// of these.
constexpr char kVersionFunction[] = "_ZN7rocksdb23GetRocksVersionAsStringB5cxx11Eb";
constexpr char kOldVersionFunction[] = "_ZN7rocksdb23GetRocksVersionAsStringEb";
constexpr char kTakesOldString[] =
    "_ZN7rocksdb12FilterPolicy16CreateFromStringERKNS_13ConfigOptionsERKSsPSt10shared_ptrIKS0_E";
constexpr char kTypeInformation[] = "_ZTIN7rocksdb12FilterPolicyE";

// RocksDB in a file that is not the librocksdb for which bloomline was compiled.
struct ProgramRocksDB {
  const link_map* file;
  const char* version_function;  // kVersionFunction or kOldVersionFunction
  char version[16];              // "9.7.4"
  char minor[16];                // "9.7"
  char interface[16];            // "9.6", by which the policy library is named
  engine::RunningInterface running;
  const char* string;  // "", or "-old-string"
  const char* rtti;    // "", or "-no-rtti" if the file was compiled without type information
};

// GNU's std::string as a function returns it: into memory of the caller, because it has a
// destructor. A version has less than 16 characters, so the string needs no other memory.
struct ReturnedString {
  ReturnedString(const ReturnedString&) = delete;
  ~ReturnedString() {}

  const char* data;
  size_t size;
  char local[16];
};
static_assert(sizeof(ReturnedString) == 2 * sizeof(void*) + 16);

// GNU's older std::string. Its size is behind a reference count and the capacity. Its characters
// are not freed, because this library has no C++ library: 40 bytes for each call.
struct ReturnedOldString {
  ReturnedOldString(const ReturnedOldString&) = delete;
  ~ReturnedOldString() {}

  size_t size() const { return reinterpret_cast<const size_t*>(data)[-3]; }

  const char* data;
};

// Writes the version that `function` returns. Returns false if it is too long.
inline bool ReadVersion(void* function, ProgramRocksDB* found) {
  const auto keep = [found](const char* data, size_t size) {
    if (size >= sizeof(found->version)) return false;
    std::memcpy(found->version, data, size);
    found->version[size] = '\0';
    return std::strspn(found->version, "0123456789.") == size;
  };
  if (found->version_function == kOldVersionFunction) {
    const ReturnedOldString text = reinterpret_cast<ReturnedOldString (*)(bool)>(function)(true);
    return keep(text.data, text.size());
  }
  const ReturnedString text = reinterpret_cast<ReturnedString (*)(bool)>(function)(true);
  return text.data == text.local && keep(text.data, text.size);
}

// Returns what keeps bloomline from the RocksDB of this file, or null after it has filled `found`.
// `file` may be null.
inline const char* FindProgramRocksDB(const link_map* file, ProgramRocksDB* found) {
  if (file == nullptr || file->l_name == nullptr || *file->l_name == '\0') {
    return "no file to open";
  }
  found->file = file;
  void* const handle = dlopen(file->l_name, RTLD_LAZY | RTLD_NOLOAD);
  const auto find = [handle](const char* name) {
    return handle == nullptr ? nullptr : dlsym(handle, name);
  };
  found->version_function = kVersionFunction;
  void* function = find(kVersionFunction);
  if (function == nullptr && find(kTakesOldString) != nullptr) {
    found->version_function = kOldVersionFunction;
    function = find(kOldVersionFunction);
  }
  found->string = found->version_function == kOldVersionFunction ? "-old-string" : "";
  found->rtti = find(kTypeInformation) == nullptr ? "-no-rtti" : "";
  if (handle != nullptr) dlclose(handle);  // the program has it open
  if (function == nullptr || FileWith(function) != file) {
    return "it does not export GetRocksVersionAsString with GNU's std::string";
  }
  if (!ReadVersion(function, found)) return "its version is odd";
  std::strcpy(found->minor, found->version);
  char* const dot = std::strchr(found->minor, '.');
  char* const end = dot == nullptr ? nullptr : std::strchr(dot + 1, '.');
  if (end == nullptr) return "its version is odd";
  *end = '\0';
  found->running = engine::InterfaceOf(found->version);
  if (found->running.interface == 0) return found->running.why_not;
  std::snprintf(found->interface, sizeof(found->interface), "%d.%d", found->running.interface / 100,
                found->running.interface % 100);

  // The policy library would find this other RocksDB first, whatever its strings are.
  for (const char* const name : {kVersionFunction, kOldVersionFunction}) {
    const void* const visible = dlsym(RTLD_DEFAULT, name);
    if (visible != nullptr && FileWith(visible) != file) {
      return "another RocksDB is in the same process";
    }
  }
  return nullptr;
}

// Writes the path of the policy library for an interface, or for a minor version, as bloomline 0.2
// named it. The path may begin with $ORIGIN. Returns what is wrong, or null.
inline const char* PolicyPath(const ProgramRocksDB& rocksdb, const char* interface,
                              const char* folder, char (&path)[PATH_MAX]) {
  if (folder == nullptr)
    folder = "$ORIGIN";
  else if (*folder != '/')
    return "BLOOMLINE_POLICY_DIR is not an absolute path";
  const int size =
      std::snprintf(path, sizeof(path), "%s/libbloomline_rocksdb_preload_policy-%s%s%s.so", folder,
                    interface, rocksdb.string, rocksdb.rtti);
  return size < PATH_MAX ? nullptr : "BLOOMLINE_POLICY_DIR is too long";
}

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_PROGRAM_ROCKSDB_H_
