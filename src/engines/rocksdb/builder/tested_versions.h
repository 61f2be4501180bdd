// The versions of RocksDB that policy libraries work with, and the interface of each.
//
// A policy library is compiled with the headers of one version, and works with all versions of its
// interface. Versions have the same interface if a policy meets the same in them:
//   the three shapes of filter_bits_abi.h (9.6 and 10.9 changed them);
//   the places of the members of BlockBasedTableOptions that it reads (7.2, 7.3, 8.0, 9.6, 10.5,
//   10.6, 11.8), and of those of FilterBuildingContext and ConfigOptions (none changed them);
//   OptionTypeInfo (7.3) and OptionType (8.7);
//   the virtual functions of Comparator (7.5), and of FilterPolicy (7.0.3) and its base classes;
//   Status: with the headers of 7.0, its constructor leaves three members of 7.1 unset, so these
//   headers serve no library.
// tests/engines/interfaces/places reads all these from headers, and tests/engines/interfaces/run
// runs each file of the table. Another std::string or other type information makes another library
// of the same interface.
//
// The preload library includes this file, and needs only libc.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUILDER_TESTED_VERSIONS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUILDER_TESTED_VERSIONS_H_

#include <cstdio>

namespace bloomline::engine {

struct TestedVersion {
  int version;      // 907 for 9.7
  int interface;    // the first version whose headers serve it
  const char* ran;  // a file with which a policy library was tested; null: none, only headers exist
};

// From old to new. packaging/policy_for and cmake/PolicyForProgram.cmake read these lines, too.
// clang-format off
inline constexpr TestedVersion kTestedVersions[] = {
    {700, 701, "rocksdbjni 7.0.4"},
    {701, 701, "rocksdbjni 7.1.2"},
    {702, 702, "rocksdbjni 7.2.2"},
    {703, 703, "rocksdbjni 7.3.1"},
    {704, 703, "rocksdbjni 7.4.5"},
    {705, 705, "rocksdbjni 7.5.3"},
    {706, 705, "rocksdbjni 7.6.0"},
    {707, 705, "rocksdbjni 7.7.3"},
    {708, 705, "rocksdbjni 7.8.3"},
    {709, 705, "rocksdbjni 7.9.2"},
    {710, 705, "rocksdbjni 7.10.2"},
    {800, 800, "rocksdbjni 8.0.0"},
    {801, 800, "rocksdbjni 8.1.1.1"},
    {803, 800, "rocksdbjni 8.3.2"},
    {804, 800, "rocksdbjni 8.4.4"},
    {805, 800, "rocksdbjni 8.5.4"},
    {806, 800, "rocksdbjni 8.6.7"},
    {807, 807, "rocksdbjni 8.7.3"},
    {808, 807, "rocksdbjni 8.8.1"},
    {809, 807, "rocksdbjni 8.9.1"},
    {810, 807, "rocksdbjni 8.10.2"},
    {811, 807, "rocksdbjni 8.11.4"},
    {900, 807, "rocksdbjni 9.0.1"},
    {901, 807, "rocksdbjni 9.1.1"},
    {902, 807, "rocksdbjni 9.2.1"},
    {903, 807, "rocksdbjni 9.3.1"},
    {904, 807, "rocksdbjni 9.4.0"},
    {905, 807, "rocksdbjni 9.5.2"},
    {906, 906, "rocksdbjni 9.6.1"},
    {907, 906, "rocksdbjni 9.7.3"},
    {908, 906, "rocksdbjni 9.8.4"},
    {909, 906, "rocksdbjni 9.9.3"},
    {910, 906, "rocksdbjni 9.10.0"},
    {911, 906, "rocksdbjni 9.11.2"},
    {1000, 906, "rocksdbjni 10.0.1"},
    {1001, 906, "rocksdbjni 10.1.3"},
    {1002, 906, "rocksdbjni 10.2.1"},
    {1004, 906, nullptr},
    {1005, 1005, "rocksdbjni 10.5.1"},
    {1006, 1006, "rocksdbjni 10.6.2"},
    {1007, 1006, nullptr},
    {1008, 1006, nullptr},
    {1009, 1009, nullptr},
    {1010, 1009, "rocksdbjni 10.10.1.1"},
    {1100, 1009, "rocksdbjni 11.0.4"},
    {1101, 1009, "rocksdbjni 11.1.2"},
    {1108, 1108, "rocksdbjni 11.8.1"},
};
// clang-format on

inline constexpr int kNewestTested =
    kTestedVersions[sizeof(kTestedVersions) / sizeof(*kTestedVersions) - 1].version;

// Returns the interface of a library that is compiled with the headers of a version, or 0.
constexpr int InterfaceOfHeaders(int version) {
  for (const TestedVersion& tested : kTestedVersions) {
    if (tested.version == version) return version < tested.interface ? 0 : tested.interface;
  }
  return 0;
}

struct RunningInterface {
  int interface = 0;
  char why_not[96] = "";  // why the interface is 0
};

// Returns the interface of a running RocksDB. `version` is such as "9.7.4".
inline RunningInterface InterfaceOf(const char* version) {
  RunningInterface running;
  int major = 0;
  int minor = 0;
  int patch = 0;
  char more = 0;
  if (std::sscanf(version, "%4d.%2d.%4d%c", &major, &minor, &patch, &more) != 3) {
    std::snprintf(running.why_not, sizeof(running.why_not), "its version is odd: %.16s", version);
    return running;
  }
  const int number = 100 * major + minor;
  // 7.0.3 put a virtual function between those of FilterPolicy.
  if (number < 700 || (number == 700 && patch < 3)) {
    std::snprintf(running.why_not, sizeof(running.why_not), "RocksDB %.16s is older than 7.0.3",
                  version);
    return running;
  }
  for (const TestedVersion& tested : kTestedVersions) {
    if (tested.version == number && tested.ran != nullptr) running.interface = tested.interface;
  }
  if (running.interface == 0) {
    std::snprintf(running.why_not, sizeof(running.why_not),
                  "RocksDB %d.%d was not tested with bloomline; the newest tested one is %d.%d",
                  major, minor, kNewestTested / 100, kNewestTested % 100);
  }
  return running;
}

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUILDER_TESTED_VERSIONS_H_
