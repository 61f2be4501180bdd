// Shows the functions of one loaded file to the policy library alone.
//
// The policy library needs a library called kRocksDBOfProgram. This file makes that library: it is
// empty, lies in memory, and itself needs the file that contains RocksDB. So the dynamic linker
// finds RocksDB's functions for the policy library and for nothing else. RTLD_GLOBAL would show
// them, and all that the file bundles, to each library that is opened later: a second RocksDB would
// call functions of the first.
#ifndef BLOOMLINE_ENGINES_PRELOAD_PRIVATE_SCOPE_H_
#define BLOOMLINE_ENGINES_PRELOAD_PRIVATE_SCOPE_H_

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

#include "src/engines/preload/next_function.h"

namespace bloomline::preload {

// src/engines/preload/CMakeLists.txt has this name, too.
constexpr char kRocksDBOfProgram[] = "libbloomline_rocksdb_of_program.so";

// A whole shared library. It has no hash table, so no symbol is looked up in it.
struct EmptyLibrary {
  ElfW(Ehdr) header;
  ElfW(Phdr) segments[3];
  ElfW(Dyn) dynamic[7];
  ElfW(Sym) no_symbol;
  char names[1 + sizeof(kRocksDBOfProgram) + PATH_MAX];
};

// Fills a library that needs the file `needed`, whose path is not too long.
inline void FillEmptyLibrary(const char* needed, EmptyLibrary* library) {
  constexpr size_t kName = 1;
  constexpr size_t kNeeded = kName + sizeof(kRocksDBOfProgram);
  std::memset(library, 0, sizeof(*library));
  std::memcpy(library->names + kName, kRocksDBOfProgram, sizeof(kRocksDBOfProgram));
  std::strcpy(library->names + kNeeded, needed);

  // This library begins with the header that files of this machine have.
  const auto* const self = FileWith(reinterpret_cast<const void*>(&NameOfLoadedFile));
  std::memcpy(&library->header, reinterpret_cast<const void*>(self->l_addr), sizeof(ElfW(Ehdr)));
  library->header.e_phoff = offsetof(EmptyLibrary, segments);
  library->header.e_phnum = sizeof(library->segments) / sizeof(*library->segments);
  library->header.e_shoff = 0;
  library->header.e_shnum = 0;
  library->header.e_shstrndx = 0;

  auto& [all, dynamic, stack] = library->segments;
  all.p_type = PT_LOAD;
  all.p_flags = PF_R | PF_W;  // the dynamic linker adjusts addresses in it
  all.p_filesz = all.p_memsz = sizeof(*library);
  all.p_align = static_cast<ElfW(Word)>(sysconf(_SC_PAGESIZE));
  dynamic.p_type = PT_DYNAMIC;
  dynamic.p_flags = PF_R | PF_W;
  dynamic.p_offset = dynamic.p_vaddr = dynamic.p_paddr = offsetof(EmptyLibrary, dynamic);
  dynamic.p_filesz = dynamic.p_memsz = sizeof(library->dynamic);
  dynamic.p_align = alignof(ElfW(Dyn));
  stack.p_type = PT_GNU_STACK;  // without it, stacks would become executable
  stack.p_flags = PF_R | PF_W;

  const auto set = [library](int entry, ElfW(Sword) tag, size_t value) {
    library->dynamic[entry].d_tag = tag;
    library->dynamic[entry].d_un.d_val = value;
  };
  set(0, DT_SONAME, kName);
  set(1, DT_NEEDED, kNeeded);
  set(2, DT_STRTAB, offsetof(EmptyLibrary, names));
  set(3, DT_STRSZ, sizeof(library->names));
  set(4, DT_SYMTAB, offsetof(EmptyLibrary, no_symbol));
  set(5, DT_SYMENT, sizeof(ElfW(Sym)));
}

// Opens the library that needs `file`. Returns null, with the reason, if that is impossible.
inline void* OpenPrivateScope(const link_map* file, const char** error) {
  EmptyLibrary library;
  if (std::strlen(file->l_name) >= PATH_MAX) {
    *error = "the path is too long";
    return nullptr;
  }
  FillEmptyLibrary(file->l_name, &library);
  const int descriptor = memfd_create(kRocksDBOfProgram, MFD_CLOEXEC);
  if (descriptor < 0 || write(descriptor, &library, sizeof(library)) != sizeof(library)) {
    *error = std::strerror(errno);
    if (descriptor >= 0) close(descriptor);
    return nullptr;
  }
  // The number may later be another file's. A program that opens that one as "/proc/self/fd/N" must
  // not get this library, so its name is another.
  char path[48];
  std::snprintf(path, sizeof(path), "/proc/self/../self/fd/%d", descriptor);
  void* const scope = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (scope == nullptr) *error = dlerror();
  close(descriptor);
  return scope;
}

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_PRIVATE_SCOPE_H_
