// The functions of libbloomline_rocksdb_preload_policy.so that open a database: with a
// FilterAccount among its listeners, which bits by level need (rocksdb_policy.h).
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "src/engines/preload/rocksdb_policy.h"
#include "src/engines/rocksdb/budget/account_listener.h"
#include "src/engines/rocksdb/budget/limited_memory.h"
#include "src/support/set_error.h"

namespace bloomline::preload {
namespace {

// A DB*, from RocksDB 10 on also a unique_ptr: to a function, both are a pointer.
using Opened = void;
using Families = std::vector<rocksdb::ColumnFamilyDescriptor>;
using Handles = std::vector<rocksdb::ColumnFamilyHandle*>;

using OpenFunction = rocksdb::Status (*)(const rocksdb::Options& options, const std::string& name,
                                         Opened* db);
using OpenFamiliesFunction = rocksdb::Status (*)(const rocksdb::DBOptions& options,
                                                 const std::string& name, const Families& families,
                                                 Handles* handles, Opened* db);

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
template <typename Function, typename Options, typename... Arguments>
rocksdb::Status Open(Function next, const Options& options, Arguments&&... arguments) {
  const std::unique_ptr<Options> copy = WithAccount(options);
  return next(copy == nullptr ? options : *copy, arguments...);
}

}  // namespace

// Exported under names of C, without C's linkage: C has no such results.
rocksdb::Status OpenWithAccount(OpenFunction next, const rocksdb::Options& options,
                                const std::string& name,
                                Opened* db) __asm__("bloomline_preload_open");
rocksdb::Status OpenWithAccount(OpenFamiliesFunction next, const rocksdb::DBOptions& options,
                                const std::string& name, const Families& families, Handles* handles,
                                Opened* db) __asm__("bloomline_preload_open_families");

rocksdb::Status OpenWithAccount(OpenFunction next, const rocksdb::Options& options,
                                const std::string& name, Opened* db) {
  return Open(next, options, name, db);
}

rocksdb::Status OpenWithAccount(OpenFamiliesFunction next, const rocksdb::DBOptions& options,
                                const std::string& name, const Families& families, Handles* handles,
                                Opened* db) {
  return Open(next, options, name, families, handles, db);
}

}  // namespace bloomline::preload
