// The workloads of database_bench.
#include "db_bench_ext/databases/harness.h"

namespace bloomline::bench {

std::vector<Workload> Workloads() { return {Gets(), Levels(), Natural(), Ranges()}; }

}  // namespace bloomline::bench
