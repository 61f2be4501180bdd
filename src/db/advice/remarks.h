// What an operator should know beside the figures of a piece of advice.
#ifndef BLOOMLINE_DB_ADVICE_REMARKS_H_
#define BLOOMLINE_DB_ADVICE_REMARKS_H_

#include <string>
#include <vector>

#include "src/db/advice/advice.h"
#include "src/db/advice/division.h"

namespace bloomline::advice {

// The advice has its figures and choices.
std::vector<std::string> Remarks(const Situation& situation, const Request& request,
                                 const Tree& tree, const Advice& advice);

}  // namespace bloomline::advice

#endif  // BLOOMLINE_DB_ADVICE_REMARKS_H_
