// Finds out which version of RocksDB is in a file of the program, and which policy library fits it.
#ifndef BLOOMLINE_ENGINES_PRELOAD_PROGRAM_ROCKSDB_H_
#define BLOOMLINE_ENGINES_PRELOAD_PROGRAM_ROCKSDB_H_

#include <dlfcn.h>
#include <limits.h>
#include <link.h>

#include <cstdio>
#include <cstring>

#include "src/engines/preload/environment.h"
#include "src/engines/preload/next_function.h"

namespace bloomline::preload {

// With GNU's std::string of 2015 and later. The older one, libc++'s and others' have no "B5cxx11".
constexpr char kVersionFunction[] = "_ZN7rocksdb23GetRocksVersionAsStringB5cxx11Eb";
constexpr char kTypeInformation[] = "_ZTIN7rocksdb12FilterPolicyE";

// RocksDB in a file that is not the librocksdb for which bloomline was compiled.
struct ProgramRocksDB {
  const link_map* file;
  char version[16];  // "9.7.4"
  char minor[16];    // "9.7"
  const char* rtti;  // "", or "-no-rtti" if the file was compiled without type information
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

// Returns what keeps bloomline from the RocksDB of this file, or null after it has filled `found`.
// `file` may be null.
inline const char* FindProgramRocksDB(const link_map* file, ProgramRocksDB* found) {
  if (file == nullptr || file->l_name == nullptr || *file->l_name == '\0') {
    return "no file to open";
  }
  found->file = file;
  void* const handle = dlopen(file->l_name, RTLD_LAZY | RTLD_NOLOAD);
  void* const function = handle == nullptr ? nullptr : dlsym(handle, kVersionFunction);
  const bool has_rtti = handle != nullptr && dlsym(handle, kTypeInformation) != nullptr;
  if (handle != nullptr) dlclose(handle);  // the program has it open
  if (function == nullptr || FileWith(function) != file) {
    return "it does not export GetRocksVersionAsString with the std::string of GCC 5 and later";
  }
  const ReturnedString text = reinterpret_cast<ReturnedString (*)(bool)>(function)(true);
  if (text.data != text.local || text.size >= sizeof(found->version)) return "its version is odd";
  std::memcpy(found->version, text.data, text.size);
  found->version[text.size] = '\0';
  std::strcpy(found->minor, found->version);
  char* const dot = std::strchr(found->minor, '.');
  char* const end = dot == nullptr ? nullptr : std::strchr(dot + 1, '.');
  if (end == nullptr || std::strspn(found->version, "0123456789.") != text.size) {
    return "its version is odd";
  }
  *end = '\0';
  if (std::strspn(found->minor, "0123456") == 1 && found->minor[1] == '.') {
    return "it is older than RocksDB 7.0";
  }
  found->rtti = has_rtti ? "" : "-no-rtti";

  // The policy library would find this other RocksDB first.
  const void* const visible = dlsym(RTLD_DEFAULT, kVersionFunction);
  if (visible != nullptr && FileWith(visible) != file) {
    return "another RocksDB is in the same process";
  }
  return nullptr;
}

// Writes the policy library's path, which may begin with $ORIGIN. Returns what is wrong, or null.
inline const char* PolicyPath(const ProgramRocksDB& rocksdb, const char* folder,
                              char (&path)[PATH_MAX]) {
  if (folder == nullptr)
    folder = "$ORIGIN";
  else if (*folder != '/')
    return "BLOOMLINE_POLICY_DIR is not an absolute path";
  const int size =
      std::snprintf(path, sizeof(path), "%s/libbloomline_rocksdb_preload_policy-%s%s.so", folder,
                    rocksdb.minor, rocksdb.rtti);
  return size < PATH_MAX ? nullptr : "BLOOMLINE_POLICY_DIR is too long";
}

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_PROGRAM_ROCKSDB_H_
