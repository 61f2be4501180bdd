// What databases go through whose filters by level are measured and tested.
#ifndef BLOOMLINE_DB_BENCH_EXT_DATABASES_NATURAL_LIFE_H_
#define BLOOMLINE_DB_BENCH_EXT_DATABASES_NATURAL_LIFE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>

#include "db_bench_ext/databases/natural_database.h"

namespace bloomline::bench {

struct Life {
  // A new process opens the database.
  std::function<FilterSetup()> reopen;
  // Called in each state, most of which have one at rest, and one under load, where compactions
  // stop where they are.
  std::function<void(const std::string& state, bool is_at_rest)> look;
};

constexpr int kStatesOfLife = 21;

// Loads a database to 1/58, 1/17, 1/5, 3/7, 5/7 and all of the keys, with three flushes after a
// restart; overwrites 3/7 as many; deletes two thirds; shrinks the database by CompactRange; and
// loads some keys again.
void Live(uint64_t keys, const Life& life, NaturalDatabase* database);

// The false-positive rate of RocksDB's Ribbon filters: 0.141 % at 9.86 bits, halved by each more.
inline double RibbonRate(double bits_per_key) { return 0.00141 * std::exp2(9.86 - bits_per_key); }
// How many times as many reads uniform Ribbon filters of the same bytes waste in the same files.
inline double Gain(const NaturalDatabase::Reads& reads, double bits_per_key) {
  return reads.probes * RibbonRate(bits_per_key) / std::max(reads.positives, 0.000005);
}

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_DATABASES_NATURAL_LIFE_H_
