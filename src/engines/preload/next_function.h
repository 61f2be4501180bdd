// Finds the function that a call would reach without the preloaded library.
#ifndef BLOOMLINE_ENGINES_PRELOAD_NEXT_FUNCTION_H_
#define BLOOMLINE_ENGINES_PRELOAD_NEXT_FUNCTION_H_

#include <dlfcn.h>
#include <errno.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bloomline::preload {

// Returns the loaded file that has `address`, or null.
inline const link_map* FileWith(const void* address) {
  Dl_info info;
  void* file = nullptr;
  if (dladdr1(address, &info, &file, RTLD_DL_LINKMAP) == 0) return nullptr;
  return static_cast<const link_map*>(file);
}

// Of several copies of a preload library in a process, the first does all. Each exports this
// function, by which the first one recognizes the others, and finds what lies behind them.
extern "C" __attribute__((used, visibility("default"))) inline void* bloomline_preload_next(
    const char* name) {
  // RTLD_NEXT counts from here only if dlsym is called: a jump to it is from the caller's file.
  void* volatile const next = dlsym(RTLD_NEXT, name);
  return next;
}

using NextOfCopy = void* (*)(const char* name);

// Returns that function of the preload library that has `function`, or null if none has it.
inline NextOfCopy CopyWith(const void* function) {
  const link_map* const file = FileWith(function);
  const bool has_name = file != nullptr && file->l_name != nullptr && *file->l_name != '\0';
  void* const handle = has_name ? dlopen(file->l_name, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  if (handle == nullptr) return nullptr;
  void* const found = dlsym(handle, "bloomline_preload_next");
  dlclose(handle);
  return FileWith(found) == file ? reinterpret_cast<NextOfCopy>(found) : nullptr;
}

// Returns the function `name` that follows this library and its copies. Always inlined, because
// RTLD_NEXT counts from the file that calls dlsym.
__attribute__((always_inline)) inline void* NextBehindCopies(const char* name) {
  void* next = dlsym(RTLD_NEXT, name);
  while (const NextOfCopy copy = CopyWith(next)) next = copy(name);
  return next;
}

// The name of a loaded file, to be freed; null after the last.
inline char* NameOfLoadedFile(int index) {
  struct Search {
    int to_skip;
    char* name;
  } search{index, nullptr};
  const auto visit = [](dl_phdr_info* file, size_t, void* data) {
    auto* const state = static_cast<Search*>(data);
    if (state->to_skip-- > 0) return 0;
    state->name = strdup(file->dlpi_name);
    return 1;
  };
  dl_iterate_phdr(visit, &search);
  return search.name;
}

// Which function of several is taken.
enum class IfSeveral { kNone, kFirst };

// Returns the only function `name` of the loaded files, not counting preload libraries' and `but`.
// Of several, returns null or that of the file that was loaded first.
inline void* FunctionOfAnyFile(const char* name, const void* but, IfSeveral if_several) {
  void* only = nullptr;
  // This is outside dl_iterate_phdr, which holds a lock that dlopen in another thread waits for.
  for (int i = 0; char* const file = NameOfLoadedFile(i); ++i) {
    void* const handle = *file == '\0' ? nullptr : dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    free(file);
    if (handle == nullptr) continue;
    void* const found = dlsym(handle, name);
    dlclose(handle);
    if (found == nullptr || found == only || found == but || CopyWith(found) != nullptr) continue;
    if (only != nullptr) return nullptr;
    only = found;
    if (if_several == IfSeveral::kFirst) break;
  }
  return only;
}

// Prints one line on stderr at the first call.
inline void SayOnceThatNoneIsFound(const char* engine) {
  static bool said = false;
  if (__atomic_exchange_n(&said, true, __ATOMIC_RELAXED)) return;
  std::fprintf(stderr,
               "bloomline: cannot find out which %s asks for a filter; %s queries no existing "
               "filters, and new files get none\n",
               engine, program_invocation_short_name);
}

// Returns the function `name` that code at `caller` would reach without this library, or null.
// Always inlined, as above.
//
// The search begins in the files that the program was started with, as the dynamic linker's does.
// It continues in the file of the caller and the files that this one needs: modules of Python,
// Node.js and Java are opened with private names, which no other file sees. Last, it takes the only
// function of this name in the process, or what `if_several` says: if a jump replaces the call,
// `caller` is an earlier caller, even code without a file.
__attribute__((always_inline)) inline void* NextFunction(const char* name, const void* caller,
                                                         IfSeveral if_several) {
  if (void* const next = NextBehindCopies(name)) return next;
  const link_map* const file = FileWith(caller);
  const bool has_name = file != nullptr && file->l_name != nullptr && *file->l_name != '\0';
  void* const handle = has_name ? dlopen(file->l_name, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  void* const next = handle == nullptr ? nullptr : dlsym(handle, name);
  if (handle != nullptr) dlclose(handle);  // the caller is running, so its file stays
  // Another preloaded library, before this one, would be a caller that is called again without end.
  const void* const first = dlsym(RTLD_DEFAULT, name);
  const bool is_found = next != nullptr && next != first && CopyWith(next) == nullptr;
  return is_found ? next : FunctionOfAnyFile(name, first, if_several);
}

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_NEXT_FUNCTION_H_
