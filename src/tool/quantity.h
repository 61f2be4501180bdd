// Parses numbers in the forms that people write. For any other text, each parser returns nothing
// and sets *error, which must not be null, to a sentence with the text and what is allowed.
#ifndef BLOOMLINE_TOOL_QUANTITY_H_
#define BLOOMLINE_TOOL_QUANTITY_H_

#include <cstdint>
#include <optional>
#include <string>

#include "src/support/number_text.h"

namespace bloomline::tool {

// A whole number from 1 to 1e18: 5000000000, 5_000_000_000, 5e9 or, in powers of 1000, 5G.
std::optional<uint64_t> ParseCount(const std::string& text, std::string* error);

// Bytes from 1 to 2^60, with the units of option strings: 4G, 4GB and 4GiB are the same; 1.5M,
// 4096B or 4096.
std::optional<uint64_t> ParseBytes(const std::string& text, std::string* error);

// A probability in (0, 1): 0.01, 1e-2 or 1%.
std::optional<double> ParseRate(const std::string& text, std::string* error);

// A number from min to max; for ParseWhole, a whole number.
std::optional<double> ParseNumber(const std::string& text, double min, double max,
                                  std::string* error);
std::optional<int> ParseWhole(const std::string& text, int min, int max, std::string* error);

// A number of 64 bits: decimal digits, or 0x and hexadecimal digits.
std::optional<uint64_t> ParseSeed(const std::string& text, std::string* error);

// 5,000,000,000
std::string CountText(uint64_t count);

// 1 key; 5,000 keys
std::string Counted(uint64_t count, const std::string& one, const std::string& many);

// 0.957 %
std::string RateText(double rate, int digits = 3);

using support::BytesText;
using support::NumberText;

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_QUANTITY_H_
