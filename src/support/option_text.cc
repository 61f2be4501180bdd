#include "src/support/option_text.h"

#include <map>

#include "src/support/quoted.h"

namespace bloomline::support {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n\v\f";
  const size_t first = text.find_first_not_of(kSpaces);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

std::string_view WithoutBraces(std::string_view value) {
  value = Trimmed(value);
  while (value.size() >= 2 && value.front() == '{' && value.back() == '}') {
    value = Trimmed(value.substr(1, value.size() - 2));
  }
  return value;
}

size_t EndOfOption(std::string_view text, size_t begin) {
  int depth = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}') --depth;
    if (text[i] == ';' && depth <= 0) return i;
  }
  return text.size();
}

std::string GivenTwice(std::string_view policy) {
  std::map<std::string_view, std::string_view> seen;
  std::string wrong;
  ForEachOption(WithoutBraces(policy), [&](std::string_view name, std::string_view value) {
    const auto [first, is_new] = seen.emplace(name, value);
    if (is_new || !wrong.empty()) return;
    wrong = std::string(name) + " is given twice";
    // A seed may be a secret.
    if (name != "seed") wrong += ", " + Quoted(first->second) + " and " + Quoted(value);
    wrong += "; allowed: once";
  });
  return wrong;
}

}  // namespace bloomline::support
