// The filters that are measured: bloomline's with each kernel, and the peers.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <stdexcept>

#include "bloomline/cpu.h"
#include "bloomline/rocksdb.h"
#include "db_bench_ext/filters/query_keys.h"
#include "db_bench_ext/filters/suite.h"
#include "rocksdb/table.h"
#include "src/filter/table/kernel_table.h"

namespace bloomline::bench {
namespace {

struct NamedFormat {
  const char* name;
  Format format;
};
constexpr NamedFormat kBlocked = {"blocked", Format::kBlocked};
constexpr NamedFormat kFormats[] = {kBlocked,
                                    // The names of the peers' families: the same bytes.
                                    {"Bloom", Format::kBloom},
                                    {"Ribbon", Format::kRibbon}};

// A format with or without a seed. The value of the seed does not affect the time, and a fixed one
// gives the same bytes in each run.
Subject OurSubject(const NamedFormat& format, const std::string& kernel, bool is_seeded) {
  const std::string family = std::string(format.name) + (is_seeded ? "+seed" : "");
  const auto make_policy = [format, is_seeded](double bits_per_key) {
    FilterOptions options;
    options.format = format.format;
    options.bits_per_key = bits_per_key;
    options.seed = is_seeded ? kGoldenRatio : 0;
    return NewRocksDBFilterPolicy(options);
  };
  const bool is_stock = format.format != Format::kBlocked;
  return {family + " " + kernel, family, true, kernel, is_seeded || is_stock, make_policy};
}

// So all subjects of a family can query the same filter, and only the code differs.
void CheckSameBytes(const std::vector<Subject>& subjects) {
  constexpr uint64_t kNumKeys = 3000;
  std::map<std::string, std::string> bytes_of_family;
  for (const Subject& subject : subjects) {
    const std::string bytes = subject.Build(kNumKeys, 10);
    if (bytes_of_family.emplace(subject.family, bytes).first->second != bytes) {
      throw std::runtime_error(subject.name + " does not write the bytes of its family");
    }
  }
}

using NativeFactory = const void* (*)(double);

NativeFactory LoadFactory(const std::string& library, const char* symbol) {
  // RTLD_LOCAL: the packaged library must not use these symbols.
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* function = handle == nullptr ? nullptr : dlsym(handle, symbol);
  if (function == nullptr) throw std::runtime_error(std::string("native library: ") + dlerror());
  return reinterpret_cast<NativeFactory>(function);
}

// If one of the reader's functions came from the packaged library, the "native" rows would measure
// that one.
void CheckReaderIsNative(const Subject& subject, const std::string& library) {
  const std::string filter = subject.Build(100, 10);
  const RocksDBReader reader = subject.NewReader(subject.Policy(10), filter);
  // The first word of a polymorphic object points at its virtual functions: two destructors, then
  // both MayMatch.
  void** const functions = *reinterpret_cast<void***>(reader.get());
  for (int i = 0; i < 4; ++i) {
    Dl_info info;
    if (dladdr(functions[i], &info) == 0 || info.dli_fname != library) {
      throw std::runtime_error("native library: " + subject.name + " runs code from elsewhere");
    }
  }
}

Subject NativeSubject(const std::string& library, const char* name, const char* family,
                      const char* symbol) {
  const NativeFactory factory = LoadFactory(library, symbol);
  return {name, family, false, "", false, [factory](double bits_per_key) {
            return RocksDBPolicy(static_cast<const rocksdb::FilterPolicy*>(factory(bits_per_key)));
          }};
}

}  // namespace

RocksDBPolicy Subject::Policy(double bits_per_key) const {
  if (is_ours) UseKernel(kernel);
  return make_policy(bits_per_key);
}

RocksDBBuilder Subject::NewBuilder(const RocksDBPolicy& policy) const {
  if (is_ours) UseKernel(kernel);
  const rocksdb::BlockBasedTableOptions table_options;
  return RocksDBBuilder(
      policy->GetBuilderWithContext(rocksdb::FilterBuildingContext(table_options)));
}

RocksDBReader Subject::NewReader(const RocksDBPolicy& policy, const rocksdb::Slice& filter) const {
  if (is_ours) UseKernel(kernel);
  return RocksDBReader(policy->GetFilterBitsReader(filter));
}

std::string Subject::Build(uint64_t num_keys, double bits_per_key) const {
  const RocksDBBuilder builder = NewBuilder(Policy(bits_per_key));
  char key[kKeyBytes];
  for (uint64_t i = 0; i < num_keys; ++i) {
    WriteKey(i, key);
    builder->AddKey(rocksdb::Slice(key, kKeyBytes));
  }
  std::unique_ptr<const char[]> buffer;
  return builder->Finish(&buffer).ToString();
}

std::vector<Subject> AllSubjects(const std::string& native_library) {
  std::vector<Subject> subjects;
  for (const NamedFormat& named : kFormats) {
    for (const kernels::Kernel* kernel : SupportedKernels()) {
      subjects.push_back(OurSubject(named, kernel->name, false));
    }
  }
  // The fastest kernel is enough: a seed affects the hash, which is the largest part of its time.
  subjects.push_back(OurSubject(kBlocked, SupportedKernels().front()->name, true));
  subjects.push_back({"Bloom packaged", "Bloom", false, "", false, [](double bits_per_key) {
                        return RocksDBPolicy(rocksdb::NewBloomFilterPolicy(bits_per_key));
                      }});
  subjects.push_back({"Ribbon packaged", "Ribbon", false, "", false, [](double bits_per_key) {
                        return RocksDBPolicy(rocksdb::NewRibbonFilterPolicy(bits_per_key, -1));
                      }});
  if (!native_library.empty()) {
    for (const Subject& native :
         {NativeSubject(native_library, "Bloom native", "Bloom", "bloomline_native_bloom_policy"),
          NativeSubject(native_library, "Ribbon native", "Ribbon",
                        "bloomline_native_ribbon_policy")}) {
      CheckReaderIsNative(native, native_library);
      subjects.push_back(native);
    }
  }
  CheckSameBytes(subjects);
  return subjects;
}

std::vector<const kernels::Kernel*> SupportedKernels() {
  std::vector<const kernels::Kernel*> supported;
  for (const kernels::Kernel* kernel : kernels::AllKernels()) {
    if (kernel->supported()) supported.insert(supported.begin(), kernel);
  }
  return supported;
}

void UseKernel(const std::string& name) {
  std::string error;
  if (ForceKernel(name, &error)) return;
  std::cerr << "filter_bench: " << error << "\n";
  std::exit(1);
}

}  // namespace bloomline::bench
