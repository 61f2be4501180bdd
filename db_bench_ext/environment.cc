#include "db_bench_ext/environment.h"

#include <fstream>
#include <sstream>
#include <thread>

#include "bloomline/cpu.h"
#include "bloomline/version.h"
#include "leveldb/db.h"
#include "rocksdb/version.h"

namespace bloomline::bench {
namespace {

// BLOOMLINE_BUILD_TYPE and BLOOMLINE_PACKAGED_ENGINES come from CMake.
constexpr bool kPackagedEngines = BLOOMLINE_PACKAGED_ENGINES;

std::string CpuName() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    const size_t colon = line.find(": ");
    if (line.compare(0, 10, "model name") == 0 && colon != std::string::npos)
      return line.substr(colon + 2);
  }
  return "unknown";
}

std::string CompilerName() {
#if defined(__clang__)
  return "clang++ " __clang_version__;
#elif defined(__GNUC__)
  return "g++ " __VERSION__;
#else
  return "unknown";
#endif
}

}  // namespace

std::string DescribeEnvironment() {
  const std::string build_type = BLOOMLINE_BUILD_TYPE;
  std::ostringstream out;
  out << "CPU         " << CpuName() << ", " << std::thread::hardware_concurrency() << " cores\n"
      << "compiler    " << CompilerName() << ", build type "
      << (build_type.empty() ? "(none)" : build_type) << "\n"
      << "bloomline   " << BLOOMLINE_VERSION_STRING << ", kernel " << ActiveKernelName() << "\n"
      << "LevelDB     " << leveldb::kMajorVersion << "." << leveldb::kMinorVersion
      << (kPackagedEngines ? ", the distribution's package (-O2)" : ", own build, flags unknown")
      << "\n"
      << "RocksDB     " << rocksdb::GetRocksVersionAsString()
      << (kPackagedEngines ? ", the distribution's package. Handicaps: a portable build, so its\n"
                             "            filters run scalar, without AVX2; and assertions are on"
                           : ", own build, flags unknown")
      << "\n";
  if (build_type != "Release") {
    out << "WARNING     bloomline and the bench are not built as Release: times mean nothing\n";
  }
  return out.str();
}

}  // namespace bloomline::bench
