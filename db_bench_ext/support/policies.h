// The filter policies that databases are measured with, each with one name in flags, tables and
// CSV.
#ifndef BLOOMLINE_DB_BENCH_EXT_SUPPORT_POLICIES_H_
#define BLOOMLINE_DB_BENCH_EXT_SUPPORT_POLICIES_H_

#include <memory>
#include <string>

// Not its header, because LevelDB's database may be compiled without type information.
namespace rocksdb {
class FilterPolicy;
}  // namespace rocksdb

namespace bloomline::bench {

constexpr char kBuiltinBloom[] = "builtin-bloom";  // what the others are compared with

struct Policy {
  std::string name;
  double bits_per_key = 0;
  std::string option;  // filter_policy of a RocksDB OPTIONS file
};

Policy BuiltinBloom(double bits_per_key);
// With the false-positive rate of a Bloom filter of these bits, at every level.
Policy BuiltinRibbon(double bits_per_key);
Policy Blocked(double bits_per_key);
// For LevelDB alone, which takes the name.
Policy Compact(double bits_per_key);
// RocksDB's own filters, which it reads without bloomline.
Policy RibbonByLevel(const std::string& name, double bits_per_key);
// With these bits, Ribbon filters take the memory of Bloom filters with 10 in five full levels, as
// `bloomline db advise` says.
constexpr double kRibbonBitsOfTen = 14.53;

// Throws std::runtime_error if RocksDB or bloomline refuses the option string.
std::shared_ptr<const rocksdb::FilterPolicy> NewRocksDBPolicy(const Policy& policy);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SUPPORT_POLICIES_H_
