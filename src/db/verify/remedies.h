// What the user can do about the errors of `bloomline db verify`.
#ifndef BLOOMLINE_DB_VERIFY_REMEDIES_H_
#define BLOOMLINE_DB_VERIFY_REMEDIES_H_

#include <vector>

#include "src/db/inputs.h"

namespace bloomline::db {

// Returns a sentence for each kind of error that has a remedy, the worst first.
std::vector<const char*> Remedies(const Inputs& inputs);

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_VERIFY_REMEDIES_H_
