// The functions that a public header declares, read from its text.
#ifndef BLOOMLINE_TESTS_SUPPORT_DECLARED_FUNCTIONS_H_
#define BLOOMLINE_TESTS_SUPPORT_DECLARED_FUNCTIONS_H_

#include <set>
#include <string>

namespace bloomline::tests {

// Class::Function, or Function, of each declaration in include/bloomline/`header` that has the text
// `parameter` as its last parameter and is not private.
std::set<std::string> DeclaredFunctionsWith(const std::string& parameter,
                                            const std::string& header);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_DECLARED_FUNCTIONS_H_
