// How libbloomline_rocksdb_preload_policy.so opens a database (rocksdb_policy.h): with a
// FilterAccount among its listeners, which bits by level need. If BLOOMLINE_FORMAT is set, it says
// which column families have no filter policy, so that the variable changes nothing there.
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bloomline/rocksdb.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "src/engines/preload/rocksdb_policy.h"
#include "src/engines/rocksdb/budget/account_listener.h"
#include "src/engines/rocksdb/budget/limited_memory.h"
#include "src/support/set_error.h"

namespace bloomline::preload {
namespace {

// An argument of DB::Open behind the options: to a function, references are pointers.
using Passed = const void*;

// A copy of the options with an account; null if they have one, or no policy can use it. The
// options stay as they are, because a program may use them for several databases at the same time.
template <typename Options>
std::unique_ptr<Options> WithAccount(const Options& options) {
  return support::OrIfItThrows<std::unique_ptr<Options>>(
      nullptr, [&]() -> std::unique_ptr<Options> {
        if (!FollowsLevels()) return nullptr;
        if (engine::CountOwnAccounts(options) != 0) return nullptr;
        auto copy = std::make_unique<Options>(options);
        copy->listeners.push_back(engine::MakeUnnamedAccount());
        return copy;
      });
}

using Handles = std::vector<rocksdb::ColumnFamilyHandle*>;

// LOG names each of the families that has no filter policy; stderr names those of the first
// database.
bool SayWhichHaveNoPolicy(rocksdb::DB* db, const Handles& families) {
  std::string all;
  for (const std::string& name : FamiliesWithoutFilters(db, families)) {
    rocksdb::Warn(db->GetDBOptions().info_log,
                  "bloomline: BLOOMLINE_FORMAT has no effect on the column family '%s', which has "
                  "no filter policy",
                  name.c_str());
    all += (all.empty() ? "'" : ", '") + name + "'";
  }
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  if (all.empty() || said.test_and_set()) return false;
  std::fprintf(stderr,
               "bloomline: BLOOMLINE_FORMAT has no effect on column families without a filter "
               "policy: %s in %s; the LOG of each database names its own\n",
               all.c_str(), db->GetName().c_str());
  return true;
}

// A unique_ptr is a pointer, too.
rocksdb::DB* OpenedIn(Passed db) { return *static_cast<rocksdb::DB* const*>(db); }

bool SayWhichHaveNoPolicy(Passed, Passed db) {
  return SayWhichHaveNoPolicy(OpenedIn(db), Handles{OpenedIn(db)->DefaultColumnFamily()});
}
bool SayWhichHaveNoPolicy(Passed, Passed, Passed handles, Passed db) {
  return SayWhichHaveNoPolicy(OpenedIn(db), *static_cast<const Handles*>(handles));
}

// One DB::Open of RocksDB calls the other.
thread_local int depth = 0;
struct Depth {
  Depth() { ++depth; }
  ~Depth() { --depth; }
};

// Calls next(options, arguments...).
template <typename Options, typename... Arguments>
rocksdb::Status Open(rocksdb::Status (*next)(const Options&, Arguments...), const Options& options,
                     Arguments... arguments) {
  const Depth counted;
  const std::unique_ptr<Options> copy = WithAccount(options);
  rocksdb::Status status = next(copy == nullptr ? options : *copy, arguments...);
  if (status.ok() && depth == 1 && HasFormat()) {
    support::OrIfItThrows(false, [&] { return SayWhichHaveNoPolicy(arguments...); });
  }
  return status;
}

}  // namespace

extern "C" {
extern void* const bloomline_preload_open[2];
void* const bloomline_preload_open[2] = {
    reinterpret_cast<void*>(&Open<rocksdb::Options, Passed, Passed>),
    reinterpret_cast<void*>(&Open<rocksdb::DBOptions, Passed, Passed, Passed, Passed>)};
}

}  // namespace bloomline::preload
