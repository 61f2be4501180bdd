// Where a call would have gone without the preloaded library.
#ifndef BLOOMLINE_PRELOAD_NEXT_FUNCTION_H_
#define BLOOMLINE_PRELOAD_NEXT_FUNCTION_H_

#include <dlfcn.h>
#include <link.h>

namespace bloomline::preload {

// The loaded file that has `address`; null if none has.
inline const link_map* FileWith(const void* address) {
  Dl_info info;
  void* file = nullptr;
  if (dladdr1(address, &info, &file, RTLD_DL_LINKMAP) == 0) return nullptr;
  return static_cast<const link_map*>(file);
}

// The function `name` that code at `caller` would reach without this library; null if there is
// none. Always inlined, because RTLD_NEXT counts from the file that calls dlsym.
//
// First the files that the program was started with, as the dynamic linker does. Then the file of
// the caller and what it needs: modules of Python, Node.js and Java are opened with names of their
// own, which no other file sees.
__attribute__((always_inline)) inline void* NextFunction(const char* name, const void* caller) {
  if (void* const next = dlsym(RTLD_NEXT, name)) return next;
  const link_map* const file = FileWith(caller);
  if (file == nullptr || file->l_name == nullptr || *file->l_name == '\0') return nullptr;
  void* const handle = dlopen(file->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* const next = dlsym(handle, name);
  dlclose(handle);  // the caller is running, so its file stays
  return next;
}

}  // namespace bloomline::preload

#endif  // BLOOMLINE_PRELOAD_NEXT_FUNCTION_H_
