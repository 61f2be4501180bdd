// What the figures were measured on, and with which engines.
#ifndef BLOOMLINE_DB_BENCH_EXT_MACHINE_ENVIRONMENT_H_
#define BLOOMLINE_DB_BENCH_EXT_MACHINE_ENVIRONMENT_H_

#include <string>

namespace bloomline::bench {

// Lines of text: processor, compiler, build, kernel, engines and the limitations of their builds,
// warnings.
std::string DescribeEnvironment();

}  // namespace bloomline::bench

#endif  // BLOOMLINE_DB_BENCH_EXT_MACHINE_ENVIRONMENT_H_
