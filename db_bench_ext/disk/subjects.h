// The filter policies that are compared. Each is an option string, as an OPTIONS file has it.
#ifndef BLOOMLINE_DB_BENCH_EXT_DISK_SUBJECTS_H_
#define BLOOMLINE_DB_BENCH_EXT_DISK_SUBJECTS_H_

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "db_bench_ext/disk/keys.h"
#include "rocksdb/filter_policy.h"

namespace bloomline::bench {

// Which formula gives the false-positive rate of a filter.
enum class Rate { kNoFilter, kBloom, kRibbon, kCompact };

struct Subject {
  std::string name;           // for flags and CSV
  std::string filter_policy;  // empty: no filter
  Rate rate = Rate::kNoFilter;
  // Of Ribbon: of the Bloom filter that has its false-positive rate.
  double bits_per_key = 0;
  bool by_level = false;

  bool HasFilter() const { return rate != Rate::kNoFilter; }
};

constexpr char kNone[] = "none";
constexpr char kBuiltinBloom[] = "builtin-bloom";  // what the others are compared with
constexpr char kBuiltinRibbon[] = "builtin-ribbon";

// All of them, in the order of the tables.
std::vector<Subject> AllSubjects();

// Built-in Bloom, and compact and by-level with each of these bits per key.
std::vector<Subject> SweepSubjects(const std::vector<double>& bits_per_key);

// Null for no filter. Throws std::runtime_error if RocksDB or bloomline refuses the string.
std::shared_ptr<const rocksdb::FilterPolicy> NewPolicy(const Subject& subject);

// The false-positive rate in each level that the subject promises, from level 1 on; 1 without a
// filter.
std::array<double, kNumLevels> ModelRates(const Subject& subject);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DISK_SUBJECTS_H_
