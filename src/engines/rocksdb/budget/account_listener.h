// How accounts are made for option strings.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_ACCOUNT_LISTENER_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_ACCOUNT_LISTENER_H_

#include <memory>

#include "bloomline/filter_account.h"

namespace bloomline::engine {

// Does what NewFilterAccount does, without registration and checks.
std::unique_ptr<FilterAccount> MakeFilterAccount();

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_ACCOUNT_LISTENER_H_
