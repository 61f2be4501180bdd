// Filters that the program does not use.
#ifndef BLOOMLINE_DB_ADVISE_IGNORED_REMARK_H_
#define BLOOMLINE_DB_ADVISE_IGNORED_REMARK_H_

#include <string>

#include "src/db/inspect/inspection.h"

namespace bloomline::db {

// Empty: the running policy ignores no filter of inspection.groups[group].
std::string IgnoredRemark(const Inspection& inspection, size_t group);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_ADVISE_IGNORED_REMARK_H_
