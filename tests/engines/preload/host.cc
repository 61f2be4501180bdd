// Opens a module as Python, Node.js and Java do, with names that no other file sees, and runs its
// main function.
// Usage: host MODULE ARGUMENT...
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  void* const module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  void* const function = module == nullptr ? nullptr : dlsym(module, "main");
  if (function == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  return reinterpret_cast<int (*)(int, char**)>(function)(argc - 1, argv + 1);
}
