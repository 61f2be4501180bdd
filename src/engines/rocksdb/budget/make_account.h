// Makes accounts for option strings, and finds them.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_MAKE_ACCOUNT_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_MAKE_ACCOUNT_H_

#include <memory>

#include "bloomline/filter_account.h"
#include "bloomline/version.h"

namespace bloomline {

// NewFilterAccount without registration and checks. May throw bad_alloc.
std::unique_ptr<FilterAccount> MakeFilterAccount();

// By this name, Configurable::GetOptions finds the FilterAccount behind a listener. The class name
// is not enough: a process may have two versions of bloomline, one in a program and one in a
// library, and the functions of one must not run on an object of the other.
constexpr char kFilterAccountName[] = "BloomlineFilterAccount " BLOOMLINE_VERSION_STRING;

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_MAKE_ACCOUNT_H_
