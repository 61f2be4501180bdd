// What the numbers were measured on and with.
#ifndef BLOOMLINE_DB_BENCH_EXT_MACHINE_ENVIRONMENT_H_
#define BLOOMLINE_DB_BENCH_EXT_MACHINE_ENVIRONMENT_H_

#include <string>

namespace bloomline::bench {

// Lines for people: processor, compiler, build, kernel, engines and their handicaps, warnings.
std::string DescribeEnvironment();

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_MACHINE_ENVIRONMENT_H_
