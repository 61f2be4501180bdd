// Preloaded, it asks for a policy while the process starts: in its own initializer or, if
// TEST_EARLIEST is set, while RocksDB's own variables are being set, as a program does whose file
// also contains RocksDB.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "rocksdb/filter_policy.h"

// Stands for std::ios_base::Init's constructor, which initializers of RocksDB call first if they
// were compiled with GCC 12 or earlier.
extern "C" void ConstructStreams(void* streams) __asm__("_ZNSt8ios_base4InitC1Ev");

void ConstructStreams(void* streams) {
  static bool has_asked = false;
  Dl_info caller;
  if (!has_asked && getenv("TEST_EARLIEST") != nullptr &&
      dladdr(__builtin_return_address(0), &caller) != 0 &&
      std::strstr(caller.dli_fname, "librocksdb") != nullptr) {
    has_asked = true;
    std::fputs("asked\n", stderr);
    delete rocksdb::NewBloomFilterPolicy(12);
  }
  reinterpret_cast<void (*)(void*)>(dlsym(RTLD_NEXT, "_ZNSt8ios_base4InitC1Ev"))(streams);
}

namespace {
const rocksdb::FilterPolicy* const policy =
    getenv("TEST_EARLIEST") == nullptr ? rocksdb::NewBloomFilterPolicy(12) : nullptr;
__attribute__((destructor)) void AtEnd() { delete policy; }
}  // namespace
