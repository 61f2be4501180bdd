// Checks what a database's levels are said to be, and what is left to calculate with.
#ifndef BLOOMLINE_INSPECT_ADVICE_SITUATION_H_
#define BLOOMLINE_INSPECT_ADVICE_SITUATION_H_

#include <string>

#include "src/inspect/advice/advice.h"
#include "src/inspect/advice/division.h"

namespace bloomline::advice {

// Empty, or one sentence that names the value and what is allowed.
std::string Validate(const Situation& situation);
std::string Validate(const Request& request);

// Of a valid situation.
Tree TreeOf(const Situation& situation);

// Whether filters can differ by level, and are worth it.
bool CanDifferByLevel(const Situation& situation, const Tree& tree);

// What a level with keys wastes now.
double WastedReadsNow(const Level& level);

}  // namespace bloomline::advice

#endif  // BLOOMLINE_INSPECT_ADVICE_SITUATION_H_
