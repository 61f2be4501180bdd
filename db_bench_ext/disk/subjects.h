// The filter policies that are compared. Each is an option string, as an OPTIONS file has it.
#ifndef BLOOMLINE_DB_BENCH_EXT_DISK_SUBJECTS_H_
#define BLOOMLINE_DB_BENCH_EXT_DISK_SUBJECTS_H_

#include <memory>
#include <string>
#include <vector>

#include "rocksdb/filter_policy.h"

namespace bloomline::bench {

// Which formula gives the false-positive rate of a filter.
enum class Rate { kNoFilter, kBloom, kRibbon, kCompact };

struct Subject {
  std::string name;           // for flags and CSV
  std::string filter_policy;  // empty: no filter
  Rate rate = Rate::kNoFilter;
  // Of Ribbon: the bits per key of the Bloom filter that has its false-positive rate.
  double bloom_bits = 0;

  bool HasFilter() const { return rate != Rate::kNoFilter; }
};

constexpr char kNone[] = "none";
constexpr char kBuiltinBloom[] = "builtin-bloom";  // what the others are compared with
constexpr char kBuiltinRibbon[] = "builtin-ribbon";

// All of them, in the order of the tables.
std::vector<Subject> AllSubjects();

// compact and compact-by-level with each of these bits per key, and built-in Bloom.
std::vector<Subject> SweepSubjects(const std::vector<double>& bits_per_key);

// Null for no filter. Throws std::runtime_error if RocksDB or bloomline refuses the string.
std::shared_ptr<const rocksdb::FilterPolicy> NewPolicy(const Subject& subject);

// The false-positive rate of a filter of this subject that takes `bits_per_key`; 1 without one.
double ModelRate(const Subject& subject, double bits_per_key);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DISK_SUBJECTS_H_
