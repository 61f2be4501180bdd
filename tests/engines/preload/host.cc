// Opens a module as Python, Node.js and Java do, with names that no other file sees. Runs its main
// function or, if it is one of module.cc, prints the name of its policy. With TEST_OPEN, it
// calls the function of this name in place of that, which opens a database of foreign_engines.cc
// or, with TEST_THROW, throws an exception. Usage: host MODULE ARGUMENT..., or host MODULE
// [LIBRARY]: another library to open first
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "tests/engines/preload/foreign_engines.h"

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
  if (const char* const name = std::getenv("TEST_OPEN")) {
    using rocksdb::DB, rocksdb::Options, rocksdb::Status;
    using Open = Status (*)(const Options&, const std::string&, DB**);
    const auto open = reinterpret_cast<Open>(dlsym(RTLD_DEFAULT, name));
    bool is_open = false;
    try {
      is_open = open({}, "options", nullptr).text[9] != nullptr;
    } catch (int) {
    }
    std::puts(is_open ? "opened" : "not opened");
    return 0;
  }
  const auto make = reinterpret_cast<const void* (*)()>(dlsym(module, "MakePolicy"));
  const auto name = reinterpret_cast<const char* (*)(const void*)>(dlsym(module, "NameOf"));
  const void* const policy = make();
  std::puts(policy == nullptr ? "none" : name(policy));
}
