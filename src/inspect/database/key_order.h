#ifndef BLOOMLINE_INSPECT_DATABASE_KEY_ORDER_H_
#define BLOOMLINE_INSPECT_DATABASE_KEY_ORDER_H_

#include <string>

#include "src/inspect/database/database.h"

namespace bloomline::database {

// By level, then by key as the comparator of that name orders them; in level 0 by number. For a
// comparator that is not known here, by the keys' bytes.
void SortByLevelAndKey(const std::string& comparator, TableFile* begin, TableFile* end);

}  // namespace bloomline::database

#endif  // BLOOMLINE_INSPECT_DATABASE_KEY_ORDER_H_
