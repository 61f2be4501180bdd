// Numbers in text, read and written alike in every locale: printf and strtod follow LC_NUMERIC,
// streams follow std::locale::global.
#ifndef BLOOMLINE_ERRORS_NUMBER_TEXT_H_
#define BLOOMLINE_ERRORS_NUMBER_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace bloomline::core {

// Each reads all of `text` as one decimal number, or returns false and leaves *number alone.
// Spaces, a leading '+', "inf", "nan", hexadecimal digits and numbers that do not fit the type are
// refused.
bool ParseDouble(std::string_view text, double* number);
bool ParseUint64(std::string_view text, uint64_t* number);

// The fewest digits that read back as the same number.
std::string DoubleText(double number);

}  // namespace bloomline::core

#endif  // BLOOMLINE_ERRORS_NUMBER_TEXT_H_
