// The functions of libbloomline_rocksdb_preload_policy.so that libbloomline_rocksdb_preload.so
// calls.
#ifndef BLOOMLINE_ENGINES_PRELOAD_ROCKSDB_POLICY_H_
#define BLOOMLINE_ENGINES_PRELOAD_ROCKSDB_POLICY_H_

#include "src/engines/preload/environment.h"

namespace rocksdb {
class FilterPolicy;
}

namespace bloomline::preload {

// How the program called RocksDB.
struct Asked {
  bool is_ribbon;  // else it asks for Bloom
  double bits_per_key;
  int bloom_before_level;  // of Ribbon, as in NewRibbonFilterPolicy
};

// Registers bloomline by name. The environment stays valid. A change of Environment changes the
// function's name: an upgrade may replace this library while programs have the other one open.
constexpr char kStartFunction[] = "bloomline_preload_start_5";
using StartFunction = void (*)(const Environment* environment);

// Returns a policy that the caller owns, or null if the program keeps its own; stderr then has the
// reason.
constexpr char kNewPolicyFunction[] = "bloomline_preload_new_policy";
using NewPolicyFunction = const rocksdb::FilterPolicy* (*)(const Asked& asked);

// Two pointers to functions, for DB::Open without and with families. They open a database as their
// first argument does, which is such a function, but with a FilterAccount among the listeners if
// policies can use it. If that is impossible, or one is there, they pass the program's options on.
// They say which families have no filter policy, if BLOOMLINE_FORMAT is set.
// Only the policy library of the RocksDB that bloomline was compiled for has them.
constexpr char kOpenFunctions[] = "bloomline_preload_open";

// Whether the variables, which Start has found valid, give bits to files by level.
bool FollowsLevels();

// Whether BLOOMLINE_FORMAT is set, and policies can be made.
bool HasFormat();

// BLOOMLINE_VERSION_STRING, a char[], of a policy library that was built for a program's RocksDB.
constexpr char kVersionOfPolicy[] = "bloomline_preload_policy_version";

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_ROCKSDB_POLICY_H_
