// Numbers as text, the same in every locale: printf and strtod follow LC_NUMERIC, streams follow
// std::locale::global.
#ifndef BLOOMLINE_SUPPORT_NUMBER_TEXT_H_
#define BLOOMLINE_SUPPORT_NUMBER_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace bloomline::support {

// Parse all of `text` as one decimal number, or return false and leave *number alone. They refuse
// spaces, a leading '+', "inf", "nan", hexadecimal digits, and numbers out of the type's range.
bool ParseDouble(std::string_view text, double* number);
bool ParseUint64(std::string_view text, uint64_t* number);

// Returns the fewest digits that read back as the same number.
std::string DoubleText(double number);

// Returns the number with `digits` digits after the point.
std::string NumberText(double number, int digits);

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_NUMBER_TEXT_H_
