// How libbloomline_rocksdb_preload_policy.so opens a database with a FilterAccount among its
// listeners, which bits by level need (rocksdb_policy.h).
#include <memory>

#include "rocksdb/db.h"
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

// Calls next(options, arguments...).
template <typename Options, typename... Arguments>
rocksdb::Status Open(rocksdb::Status (*next)(const Options&, Arguments...), const Options& options,
                     Arguments... arguments) {
  const std::unique_ptr<Options> copy = WithAccount(options);
  return next(copy == nullptr ? options : *copy, arguments...);
}

}  // namespace

extern "C" {
extern void* const bloomline_preload_open[2];
void* const bloomline_preload_open[2] = {
    reinterpret_cast<void*>(&Open<rocksdb::Options, Passed, Passed>),
    reinterpret_cast<void*>(&Open<rocksdb::DBOptions, Passed, Passed, Passed, Passed>)};
}

}  // namespace bloomline::preload
