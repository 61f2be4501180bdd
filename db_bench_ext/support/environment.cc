#include <sstream>

#include "db_bench_ext/support/machine.h"
#include "leveldb/db.h"
#include "rocksdb/version.h"

namespace bloomline::bench {
namespace {

// From CMake.
constexpr bool kPackagedEngines = BLOOMLINE_PACKAGED_ENGINES;

}  // namespace

std::string DescribeEnvironment() {
  std::ostringstream out;
  out << DescribeMachine() << "LevelDB     " << leveldb::kMajorVersion << "."
      << leveldb::kMinorVersion
      << (kPackagedEngines ? ", the distribution's package (-O2)" : ", own build, flags unknown")
      << "\n"
      << "RocksDB     " << rocksdb::GetRocksVersionAsString()
      << (kPackagedEngines
              ? ", the distribution's package. Limitations of this build: portable, so its\n"
                "            filters run scalar code without AVX2; and assertions are on"
              : ", own build, flags unknown")
      << "\n"
      << BuildWarning();
  return out.str();
}

}  // namespace bloomline::bench
