#include "db_bench_ext/support/machine.h"

#include <fstream>
#include <sstream>
#include <thread>

#include "bloomline/cpu.h"
#include "bloomline/version.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace bloomline::bench {
namespace {

// BLOOMLINE_BUILD_TYPE comes from CMake.
constexpr const char kBuildType[] = BLOOMLINE_BUILD_TYPE;

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

// The value of `name` in a file of lines "NAME: N kB", in bytes; 0 if it has none.
uint64_t BytesOf(const char* path, const std::string& name) {
  std::ifstream stream(path);
  for (std::string word; stream >> word;) {
    uint64_t kib = 0;
    if (word == name && stream >> kib) return kib << 10;
  }
  return 0;
}

}  // namespace

std::string DescribeMachine() {
  std::ostringstream out;
  out << "CPU         " << CpuName() << ", " << std::thread::hardware_concurrency() << " cores\n"
      << "compiler    " << kCompiler << ", build type "
      << (kBuildType[0] == '\0' ? "(none)" : kBuildType) << "\n"
      << "bloomline   " << BLOOMLINE_VERSION_STRING << ", kernel " << ActiveKernelName() << "\n";
  return out.str();
}

std::string BuildWarning() {
  if (std::string(kBuildType) == "Release") return "";
  return "WARNING     bloomline and the bench are not built as Release: times mean nothing\n";
}

std::string LoadWarning() {
  std::ifstream stream("/proc/loadavg");
  double load;
  int running;  // this thread among them
  if (!(stream >> load >> load >> load >> running) || running <= 1) return "";
  return "WARNING     " + std::to_string(running - 1) +
         " other threads were running at the start and disturb times\n";
}

uint64_t AvailableMemory() { return BytesOf("/proc/meminfo", "MemAvailable:"); }

uint64_t PeakMemory() { return BytesOf("/proc/self/status", "VmHWM:"); }

void ResetPeakMemory() {
#ifdef __GLIBC__
  malloc_trim(0);  // memory freed before does not belong to this measurement
#endif
  std::ofstream("/proc/self/clear_refs") << "5";
}

}  // namespace bloomline::bench
