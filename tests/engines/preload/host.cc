// Opens a module as Python, Node.js and Java do, with names that no other file sees. Runs its main
// function or, if it is one of module.cc, prints the name of its policy.
// Usage: host MODULE ARGUMENT..., or host MODULE [LIBRARY]: another library to open first
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  void* const module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  if (void* const function = dlsym(module, "main")) {
    return reinterpret_cast<int (*)(int, char**)>(function)(argc - 1, argv + 1);
  }
  if (argc > 2 && dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) == nullptr) return 2;
  const auto make = reinterpret_cast<const void* (*)()>(dlsym(module, "MakePolicy"));
  const auto name = reinterpret_cast<const char* (*)(const void*)>(dlsym(module, "NameOf"));
  const void* const policy = make();
  std::puts(policy == nullptr ? "none" : name(policy));
}
