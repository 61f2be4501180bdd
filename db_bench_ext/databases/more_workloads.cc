// The workloads of more_database_bench.
#include "db_bench_ext/databases/harness.h"

namespace bloomline::bench {

std::vector<Workload> Workloads() { return {Disk(), RangeChoice()}; }

}  // namespace bloomline::bench
