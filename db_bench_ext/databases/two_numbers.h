// A filter policy that users can write with RocksDB alone.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_TWO_NUMBERS_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_TWO_NUMBERS_H_

#include <memory>

namespace rocksdb {
class FilterPolicy;
}  // namespace rocksdb

namespace bloomline::bench {

// RocksDB's Ribbon filters with these bits per key in bottommost files, and kMoreBits more in all
// others.
constexpr double kMoreBits = 7;
std::shared_ptr<const rocksdb::FilterPolicy> NewTwoNumbers(double bits_per_key);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_TWO_NUMBERS_H_
