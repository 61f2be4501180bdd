// What an operator should know beside the figures of a piece of advice.
#ifndef BLOOMLINE_DB_ADVICE_REMARKS_H_
#define BLOOMLINE_DB_ADVICE_REMARKS_H_

#include "src/db/advice/advice.h"
#include "src/db/advice/division.h"

namespace bloomline::advice {

// Fills in the remarks of an advice that has its figures and choices.
void AddRemarks(const Situation& situation, const Request& request, const Tree& tree,
                Advice* advice);

}  // namespace bloomline::advice

#endif  // BLOOMLINE_DB_ADVICE_REMARKS_H_
