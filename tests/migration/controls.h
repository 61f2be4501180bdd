// Whether the check of a migration notices what it looks for.
#ifndef BLOOMLINE_TESTS_MIGRATION_CONTROLS_H_
#define BLOOMLINE_TESTS_MIGRATION_CONTROLS_H_

#include "tests/migration/directions.h"

namespace bloomline::tests {

// Plants filters that deny a stored key, the newer version of a key, and a deletion. Judges
// databases with the filters of another one. The check must find each.
void CheckControls(const Setup& setup, Report* report);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_MIGRATION_CONTROLS_H_
