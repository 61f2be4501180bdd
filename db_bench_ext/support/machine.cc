#include "db_bench_ext/support/machine.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

#include "bloomline/cpu.h"
#include "bloomline/version.h"
#include "leveldb/db.h"
#include "rocksdb/version.h"

namespace bloomline::bench {
namespace {

// From CMake.
constexpr bool kPackagedEngines = BLOOMLINE_PACKAGED_ENGINES;
std::string BuildType() { return *BLOOMLINE_BUILD_TYPE == '\0' ? "(none)" : BLOOMLINE_BUILD_TYPE; }

std::string LevelDBVersion() {
  return std::to_string(leveldb::kMajorVersion) + "." + std::to_string(leveldb::kMinorVersion);
}

std::string CpuName() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    const size_t colon = line.find(": ");
    if (line.compare(0, 10, "model name") == 0 && colon != std::string::npos)
      return line.substr(colon + 2);
  }
  return "unknown";
}

#if defined(__clang__)
constexpr char kCompiler[] = "clang++ " __clang_version__;
#else
constexpr char kCompiler[] = "g++ " __VERSION__;
#endif

}  // namespace

std::string DescribeEnvironment() {
  std::ostringstream out;
  out << "CPU         " << CpuName() << ", " << std::thread::hardware_concurrency() << " cores\n"
      << "compiler    " << kCompiler << ", build type " << BuildType() << "\n"
      << "bloomline   " << BLOOMLINE_VERSION_STRING << ", kernel " << ActiveKernelName() << "\n"
      << "LevelDB     " << LevelDBVersion()
      << (kPackagedEngines ? ", the distribution's package (-O2)" : ", own build, flags unknown")
      << "\n"
      << "RocksDB     " << rocksdb::GetRocksVersionAsString()
      << (kPackagedEngines
              ? ", the distribution's package. Limitations of this build: portable, so its\n"
                "            filters run scalar code without AVX2; and assertions are on"
              : ", own build, flags unknown")
      << "\n";
  if (BuildType() != "Release")
    out << "WARNING     bloomline and the bench are not built as Release: times mean nothing\n";
  return out.str();
}

std::string MachineInOneLine() {
  std::string line = CpuName() + "; bloomline " + BLOOMLINE_VERSION_STRING + " " + BuildType() +
                     " " + ActiveKernelName() + "; LevelDB " + LevelDBVersion() + "; RocksDB " +
                     rocksdb::GetRocksVersionAsString();
  std::replace(line.begin(), line.end(), ',', ' ');
  return line;
}

std::string LoadWarning() {
  std::ifstream stream("/proc/loadavg");
  double load;
  int running;  // this thread among them
  if (!(stream >> load >> load >> load >> running) || running <= 1) return "";
  return "WARNING     " + std::to_string(running - 1) +
         " other threads were running at the start and disturb times\n";
}

uint64_t PeakMemory() {
  std::ifstream stream("/proc/self/status");
  for (std::string word; stream >> word;) {
    uint64_t kib = 0;
    if (word == "VmHWM:" && stream >> kib) return kib << 10;
  }
  return 0;
}

}  // namespace bloomline::bench
