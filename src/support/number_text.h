// Numbers as text, the same in every locale: printf and strtod follow LC_NUMERIC, streams follow
// std::locale::global.
#ifndef BLOOMLINE_SUPPORT_NUMBER_TEXT_H_
#define BLOOMLINE_SUPPORT_NUMBER_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace bloomline::support {

// Parse all of `text` as one decimal number, or return false and leave *number alone. They refuse
// spaces, a leading '+', "inf", "nan", hexadecimal digits, and numbers out of the type's range.
bool ParseDouble(std::string_view text, double* number);
bool ParseUint64(std::string_view text, uint64_t* number);

// Returns the fewest digits that read back as the same number.
std::string DoubleText(double number);

// Returns the number with `digits` digits after the point.
std::string NumberText(double number, int digits);

// ---- Bytes.

// Parses sizes in option strings as RocksDB does (ParseUint64 in options/options_helper.cc): digits
// and k, m, g or t, for 2^10 to 2^40; up to kMaxBytes. RocksDB ignores the rest, and reads 1.5G as
// one byte; here only "B" and "iB" may follow, so 2GB is 2^31. Leaves *bytes alone if it returns
// false.
bool ParseSize(std::string_view text, uint64_t* bytes);

// Returns three digits and the largest binary unit: 5.82 GiB.
std::string BytesText(uint64_t bytes);

constexpr uint64_t kMaxBytes = uint64_t{1} << 60;
constexpr char kAllowedSizes[] =
    "0 for no limit, or bytes up to 2^60 with K, M, G or T for powers of 1024, as in 512M";

// ---- Texts with numbers.

// Returns the number as a std::ostream in the "C" locale writes it.
std::string ShortText(double number);

// Concatenates texts, and numbers as a std::ostream in the "C" locale writes them.
template <typename... Parts>
std::string StrCat(const Parts&... parts) {
  std::string text;
  const auto append = [&text](const auto& part) {
    using Part = std::decay_t<decltype(part)>;
    static_assert(!std::is_same_v<Part, bool> && !std::is_same_v<Part, char>);
    if constexpr (std::is_floating_point_v<Part>) {
      text += ShortText(double{part});
    } else if constexpr (std::is_integral_v<Part>) {
      text += std::to_string(part);
    } else {
      text += part;
    }
  };
  (append(parts), ...);
  return text;
}

// Returns false. Composes the reason only if it is wanted.
template <typename... Parts>
bool Refuse(std::string* why, const Parts&... parts) {
  if (why != nullptr) *why = StrCat(parts...);
  return false;
}

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_NUMBER_TEXT_H_
