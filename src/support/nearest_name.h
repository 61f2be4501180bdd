// Typing errors in names.
#ifndef BLOOMLINE_SUPPORT_NEAREST_NAME_H_
#define BLOOMLINE_SUPPORT_NEAREST_NAME_H_

#include <string>
#include <string_view>
#include <vector>

namespace bloomline::support {

// Returns the known name that is nearest to the typed one; empty if none is near. A name that
// begins with the typed one counts as near.
std::string NearestName(std::string_view typed, const std::vector<std::string>& known);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_NEAREST_NAME_H_
