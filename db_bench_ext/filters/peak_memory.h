// The peak memory of building one large filter.
#ifndef BLOOMLINE_DB_BENCH_EXT_FILTERS_PEAK_MEMORY_H_
#define BLOOMLINE_DB_BENCH_EXT_FILTERS_PEAK_MEMORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "db_bench_ext/filters/subjects.h"

namespace bloomline::bench {

// Builds a filter of num_keys in a process of its own for each family of subjects, and returns a
// table of how far its resident memory rose. The keys are made one by one and take none. A sentence
// instead if the system does not tell. Call it before much memory has been used: what this process
// has freed would not count.
std::string PeakMemoryTable(const std::vector<Subject>& subjects, uint64_t num_keys,
                            size_t key_bytes);

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_FILTERS_PEAK_MEMORY_H_
