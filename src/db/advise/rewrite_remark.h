// What it takes to give all files of a database new filters (docs/rewriting.md).
#ifndef BLOOMLINE_DB_ADVISE_REWRITE_REMARK_H_
#define BLOOMLINE_DB_ADVISE_REWRITE_REMARK_H_

#include <string>

#include "src/db/inspect/inspection.h"

namespace bloomline::db {

// Empty: the engine cannot rewrite single files.
std::string RewriteRemark(sstable::Engine engine, const Group& all);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_ADVISE_REWRITE_REMARK_H_
