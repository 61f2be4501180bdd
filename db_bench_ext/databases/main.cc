// database_bench WORKLOAD FLAGS...: one of the workloads in databases.
#include <iostream>
#include <string>

#include "db_bench_ext/databases/harness.h"

int main(int argc, char** argv) {
  using namespace bloomline::bench;  // NOLINT: nothing else is here
  const std::string workload = argc > 1 ? argv[1] : "";
  if (workload == "compare") return Compare(argc - 1, argv + 1);
  if (workload == "disk") return Disk(argc - 1, argv + 1);
  if (workload == "ranges") return Ranges(argc - 1, argv + 1);
  if (workload == "rewrite") return Rewrite(argc - 1, argv + 1);
  std::cerr << "database_bench: workload '" << workload
            << "'; allowed: compare, disk, ranges, rewrite\n";
  return 2;
}
