// What a program has to set so that new files get the filters that its files have.
#ifndef BLOOMLINE_DB_KEPT_POLICY_H_
#define BLOOMLINE_DB_KEPT_POLICY_H_

#include <cstddef>
#include <string>

#include "src/db/inputs.h"
#include "src/db/inspection.h"

namespace bloomline::db {

// Returns the filter_policy that writes filters like those of the g-th column family's files, as
// far as their bytes show. Empty if the running policy does so, if it is unknown or an
// application's, and if the files have filters of several kinds or of none that RocksDB's option
// strings name.
std::string KeptPolicy(const Inputs& inputs, const Inspection& inspection, size_t g);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_KEPT_POLICY_H_
