#include "db_bench_ext/databases/former_release.h"

#include <dlfcn.h>

#include <stdexcept>

#include "db_bench_ext/databases/rocksdb_open.h"
#include "rocksdb/convenience.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/utilities/object_registry.h"

namespace bloomline::bench {

std::shared_ptr<const rocksdb::FilterPolicy> PolicyOfRelease(const std::string& library,
                                                             const std::string& option) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  using Register = int(rocksdb::ObjectLibrary&, const std::string&);
  const auto add = reinterpret_cast<Register*>(dlsym(handle, "bloomline_rocksdb_plugin"));
  if (add == nullptr) throw std::runtime_error(library + " has no bloomline_rocksdb_plugin");
  // A registry of its own: the default one has the names of this bloomline.
  rocksdb::ConfigOptions config;
  config.registry = rocksdb::ObjectRegistry::NewInstance();
  config.registry->AddLibrary("former", add, "");
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  Check(rocksdb::FilterPolicy::CreateFromString(config, option, &policy));
  return policy;
}

}  // namespace bloomline::bench
