// Compactions that write new filters and do not end: the process is killed, or its files fail.
#ifndef BLOOMLINE_TESTS_MIGRATION_INTERRUPTED_H_
#define BLOOMLINE_TESTS_MIGRATION_INTERRUPTED_H_

#include "tests/migration/subject.h"

namespace bloomline::tests {

// setup.kills of each, for each kind of database.
void InterruptCompactions(const Setup& setup, Report* report);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_MIGRATION_INTERRUPTED_H_
