// Opens a module of tail_module.cc, with names that no other file sees, and prints the name of its
// policy.
// Usage: tail_host MODULE [LIBRARY]: another library to open before
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 2 || (argc > 2 && dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) == nullptr)) return 2;
  void* const module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return 2;
  const auto make = reinterpret_cast<const void* (*)()>(dlsym(module, "MakePolicy"));
  const auto name = reinterpret_cast<const char* (*)(const void*)>(dlsym(module, "NameOf"));
  const void* const policy = make();
  std::puts(policy == nullptr ? "none" : name(policy));
}
