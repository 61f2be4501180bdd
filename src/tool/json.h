// The JSON output of all commands.
#ifndef BLOOMLINE_TOOL_JSON_H_
#define BLOOMLINE_TOOL_JSON_H_

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace bloomline::tool {

using Json = nlohmann::ordered_json;

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

inline Json TextOrNull(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

// File names need not be UTF-8, but JSON must be. The output is ASCII, so that no name can send
// control characters to a terminal.
inline void Print(const Json& json) {
  std::cout << json.dump(2, ' ', true, Json::error_handler_t::replace) << '\n';
}

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_JSON_H_
