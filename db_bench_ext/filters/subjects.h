// The filters that are measured: bloomline's with each kernel, and the peers.
#ifndef BLOOMLINE_DB_BENCH_EXT_FILTERS_SUBJECTS_H_
#define BLOOMLINE_DB_BENCH_EXT_FILTERS_SUBJECTS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/filter_policy.h"
#include "src/engines/rocksdb/filter_bits_abi.h"
#include "src/filter/kernels/kernel.h"

namespace bloomline::bench {

using RocksDBPolicy = std::shared_ptr<const rocksdb::FilterPolicy>;
using RocksDBBuilder = std::unique_ptr<rocksdb::FilterBitsBuilder>;
using RocksDBReader = std::unique_ptr<rocksdb::FilterBitsReader>;

// Suffix of the family name of a filter with a seed.
constexpr char kSeededSuffix[] = "+seed";

struct Subject {
  std::string name;
  std::string family;  // subjects of one family write the same bytes
  bool is_ours;
  std::string kernel;  // empty for peers
  bool is_seeded;      // ours with a seed; measured at kTableBits only
  std::function<RocksDBPolicy(double bits_per_key)> make_policy;

  // These force this subject's kernel, if it has one.
  RocksDBPolicy Policy(double bits_per_key) const;
  RocksDBBuilder NewBuilder(const RocksDBPolicy& policy) const;
  RocksDBReader NewReader(const RocksDBPolicy& policy, const rocksdb::Slice& filter) const;

  // A filter of the generated keys 0 to num_keys - 1.
  std::string Build(uint64_t num_keys, size_t key_bytes, double bits_per_key) const;
};

// Ours first, fastest kernel first; then the peers. `native_library` is the path that
// db_bench_ext/filters/native_rocksdb printed, or empty. Throws std::runtime_error if that library
// runs code of another one, or if subjects of one family do not write the same bytes.
std::vector<Subject> AllSubjects(const std::string& native_library);

// Kernels that this CPU supports, fastest first.
std::vector<const kernels::Kernel*> SupportedKernels();

// Ends the process, with a message, if this CPU does not support the kernel.
void UseKernel(const std::string& name);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_SUBJECTS_H_
