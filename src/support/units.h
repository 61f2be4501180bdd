// Numbers with a unit, the same in every locale.
#ifndef BLOOMLINE_SUPPORT_UNITS_H_
#define BLOOMLINE_SUPPORT_UNITS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bloomline::support {

struct Unit {
  std::string_view name;  // does not begin with e or E
  double factor;
};

// Returns the number before one of the units, times the unit's factor; nothing for any other text.
// Underscores may separate digits.
std::optional<double> ParseWithUnit(std::string text, const Unit* units, size_t num_units);

template <size_t N>
std::optional<double> ParseWithUnit(const std::string& text, const Unit (&units)[N]) {
  return ParseWithUnit(text, units, N);
}

// Parses bytes from 1 to kMaxBytes, with an unambiguous unit: 4GiB, 500MB, 4096B or none. "4G"
// could be 4GiB or 4GB, and is refused. Leaves *bytes alone if it returns false.
bool ParseBytes(const std::string& text, uint64_t* bytes);

// Returns three digits and the largest binary unit: 5.82 GiB.
std::string BytesText(uint64_t bytes);

constexpr uint64_t kMaxBytes = uint64_t{1} << 60;
constexpr char kAllowedBytes[] =
    "1 B to 2^60 B, for example 4GiB (KiB, MiB, GiB, TiB: powers of 1024), 4GB (kB, MB, GB, TB: "
    "powers of 1000) or a number of bytes";

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_UNITS_H_
