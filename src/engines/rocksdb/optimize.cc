// OptimizeForMissingKeys: a policy and the account that it needs, in one call.
#include <memory>
#include <string>

#include "bloomline/filter_account.h"
#include "bloomline/rocksdb.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "src/engines/rocksdb/budget/account_listener.h"
#include "src/engines/rocksdb/budget/limited_memory.h"
#include "src/support/set_error.h"

namespace bloomline {

using PolicyPtr = std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>;

bool OptimizeForMissingKeys(ROCKSDB_NAMESPACE::DBOptions* database,
                            ROCKSDB_NAMESPACE::ColumnFamilyOptions* family,
                            const RocksDBFilterOptions& filter, std::string* error) {
  using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
  BlockBasedTableOptions table;
  const PolicyPtr policy =
      support::OrReport("RocksDB filter policy", error, [&](std::string* reason) -> PolicyPtr {
        // First, because it checks the version of RocksDB.
        PolicyPtr made = NewRocksDBFilterPolicy(filter, reason);
        if (made == nullptr) return nullptr;
        const auto& factory = family->table_factory;
        const auto* const now =
            factory == nullptr ? nullptr : factory->GetOptions<BlockBasedTableOptions>();
        if (now == nullptr) {
          *reason = std::string("the table factory is ") +
                    (factory == nullptr ? "null" : factory->Name()) + "; allowed: BlockBasedTable";
          return nullptr;
        }
        table = *now;
        return made;
      });
  if (policy == nullptr) return false;
  table.filter_policy = policy;
  family->table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  if (engine::CountOwnAccounts(*database) == 0) {
    database->listeners.push_back(engine::MakeFilterAccount());
  }
  return true;
}

bool OptimizeForMissingKeys(ROCKSDB_NAMESPACE::Options* options, const RocksDBFilterOptions& filter,
                            std::string* error) {
  return OptimizeForMissingKeys(options, options, filter, error);
}

}  // namespace bloomline
