// All libraries of one process use one copy of the core's state and one registration in RocksDB,
// also when each is a shared library.
#include <bloomline/c.h>
#include <bloomline/cpu.h>
#include <bloomline/rocksdb.h>
#include <rocksdb/convenience.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

int main() {
  std::string error;
  for (const bloomline::KernelInfo& kernel : bloomline::Kernels()) {
    if (!kernel.supported) continue;
    if (!bloomline::ForceKernel(kernel.name, &error) ||
        std::strcmp(bloomline_active_kernel_name(), kernel.name) != 0) {
      std::fprintf(stderr, "forced %s in the core; the C library has %s: %s\n", kernel.name,
                   bloomline_active_kernel_name(), error.c_str());
      return 1;
    }
  }
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  const bool registered = bloomline::RegisterBloomline();
  const rocksdb::Status status =
      rocksdb::FilterPolicy::CreateFromString(rocksdb::ConfigOptions(), "bloomline:10", &policy);
  if (!registered || !status.ok() || policy == nullptr) {
    std::fprintf(stderr, "no policy by name: %s\n", status.ToString().c_str());
    return 1;
  }
  return 0;
}
