// Accounts for option strings.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_MAKE_ACCOUNT_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_MAKE_ACCOUNT_H_

#include <memory>

#include "bloomline/filter_account.h"

namespace bloomline {

// As NewFilterAccount, without registration and checks. May throw bad_alloc.
std::unique_ptr<FilterAccount> MakeFilterAccount();

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_MAKE_ACCOUNT_H_
