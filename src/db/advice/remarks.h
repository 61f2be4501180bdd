// Printed beside the figures of a choice: its settings, and remarks for an operator.
#ifndef BLOOMLINE_DB_ADVICE_REMARKS_H_
#define BLOOMLINE_DB_ADVICE_REMARKS_H_

#include <vector>

#include "src/db/advice/advice.h"
#include "src/db/advice/division.h"

namespace bloomline::advice {

// Sets the option string and the environment of a choice that has its other fields.
// `bits_from_level_0` is empty if all levels have the same.
void AddSettings(const Tree& tree, const std::vector<double>& bits_from_level_0, Choice* choice);

// Fills in the remarks of an advice that has its figures and choices.
void AddRemarks(const Situation& situation, const Request& request, const Tree& tree,
                Advice* advice);

}  // namespace bloomline::advice

#endif  // BLOOMLINE_DB_ADVICE_REMARKS_H_
