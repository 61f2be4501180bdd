// How accounts are made for option strings, and for programs that do not know them.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_ACCOUNT_LISTENER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_ACCOUNT_LISTENER_H_

#include <memory>

#include "bloomline/filter_account.h"

namespace bloomline::engine {

// Does what NewFilterAccount does, without registration and checks.
std::unique_ptr<FilterAccount> MakeFilterAccount();

// The same, but OPTIONS files do not name it. RocksDB 7.8 loads none of several listeners.
std::unique_ptr<FilterAccount> MakeUnnamedAccount();

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_ACCOUNT_LISTENER_H_
