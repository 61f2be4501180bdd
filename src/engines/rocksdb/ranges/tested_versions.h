// The versions of RocksDB with which filters reject ranges. With other calls than range_extractor.h
// presumes, a filter could reject a range that has keys.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_TESTED_VERSIONS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_TESTED_VERSIONS_H_

#include <string_view>

namespace ROCKSDB_NAMESPACE {
class Logger;
}

namespace bloomline::engine {

struct TestedVersion {
  int major;
  int minor;
  int last_patch;  // this patch release and those before it
};

// docs/compatibility.md says how each was checked: all tests ran with it, or its calls were
// compared with those of such a version in the source code. A row is a tag, or a release branch
// without a tag. A version is added when all tests have run with it (tests/platforms/versions).
// RocksDB's main branch is not here: it changes under the number of the next version.
constexpr TestedVersion kTestedVersions[] = {
    {7, 0, 4},  {7, 1, 2},  {7, 2, 2},  {7, 3, 2},   {7, 4, 5},   {7, 5, 4},  {7, 6, 0},
    {7, 7, 8},  {7, 8, 3},  {7, 9, 3},  {7, 10, 2},  {8, 0, 0},   {8, 1, 1},  {8, 2, 1},
    {8, 3, 3},  {8, 4, 4},  {8, 5, 4},  {8, 6, 7},   {8, 7, 3},   {8, 8, 1},  {8, 9, 2},
    {8, 10, 2}, {8, 11, 5}, {9, 0, 1},  {9, 1, 2},   {9, 2, 2},   {9, 3, 2},  {9, 4, 1},
    {9, 5, 2},  {9, 6, 2},  {9, 7, 4},  {9, 8, 4},   {9, 9, 3},   {9, 10, 0}, {9, 11, 2},
    {10, 0, 1}, {10, 1, 3}, {10, 2, 3}, {10, 3, 4},  {10, 4, 2},  {10, 5, 5}, {10, 6, 2},
    {10, 7, 6}, {10, 8, 3}, {10, 9, 1}, {10, 10, 1}, {10, 11, 2}, {11, 0, 4}, {11, 1, 2},
    {11, 2, 4}, {11, 3, 2}, {11, 4, 3}, {11, 5, 2},  {11, 6, 0},  {11, 7, 0}, {11, 8, 1},
};

// Whether `patch` is a tested release of the minor version that bloomline is compiled for.
bool IsTestedPatch(int patch);

// Whether filters may reject ranges in this process, with the RocksDB that runs (docs/ranges.md).
// False also without random numbers (ExtractorIdsAreUnique), and with addresses of 32 bits. Decided
// by the first call.
bool RangesAreOn();

// If ranges are off, logs why, once for each logger. `log` may be null. Thread-safe.
void LogIfRangesAreOff(ROCKSDB_NAMESPACE::Logger* log);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_TESTED_VERSIONS_H_
