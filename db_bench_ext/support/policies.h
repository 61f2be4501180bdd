// The filter policies that databases are measured with, each with one name in flags, tables, CSV
// and pictures.
#ifndef BLOOMLINE_DB_BENCH_EXT_SUPPORT_POLICIES_H_
#define BLOOMLINE_DB_BENCH_EXT_SUPPORT_POLICIES_H_

#include <memory>
#include <string>

// Not its headers, because LevelDB's part of compare may be compiled without type information.
namespace rocksdb {
class DB;
class FilterPolicy;
class Status;
struct Options;
}  // namespace rocksdb

namespace bloomline::bench {

enum class Filter { kNone, kBloom, kRibbon, kBlocked, kCompact };

constexpr char kNone[] = "none";
constexpr char kBuiltinBloom[] = "builtin-bloom";  // what the others are compared with
constexpr char kBuiltinRibbon[] = "builtin-ribbon";

struct Policy {
  std::string name;
  Filter filter = Filter::kNone;
  // For Ribbon, these are the bits of the Bloom filter with the same false-positive rate.
  double bits_per_key = 0;
  bool by_level = false;    // also of RocksDB's own filters, which bloomline's policy then writes
  bool has_ranges = false;  // range_prefixes=auto

  // RocksDB without bloomline uses the filters.
  bool IsStock() const { return filter == Filter::kBloom || filter == Filter::kRibbon; }
  bool HasFilter() const { return filter != Filter::kNone; }
  // As a RocksDB OPTIONS file has it; empty without a filter.
  std::string FilterPolicy() const;
};

Policy NoFilter();
Policy BuiltinBloom(double bits_per_key);
Policy BuiltinRibbon(double bits_per_key);
// RocksDB's own filters with other bits in each level.
Policy BloomByLevel(double bits_per_key);
Policy RibbonByLevel(double bits_per_key);
Policy Blocked(double bits_per_key);
// "compact" with as many bits; "compact-same-fpr" with those that give Bloom's rate at this many.
Policy Compact(double bits_per_key);
Policy CompactOfSameRate(double bits_per_key);
// Not thread-safe.
double CompactBitsOfBloomsRate(double bloom_bits_per_key);

// Null for no filter. Throws std::runtime_error if RocksDB or bloomline refuses the option string.
std::shared_ptr<const rocksdb::FilterPolicy> NewRocksDBPolicy(const Policy& policy);

// Throw std::runtime_error.
void Check(const rocksdb::Status& status);
std::unique_ptr<rocksdb::DB> OpenRocksDB(const rocksdb::Options& options,
                                         const std::string& directory);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_SUPPORT_POLICIES_H_
