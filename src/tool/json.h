// JSON, as all commands write it.
#ifndef BLOOMLINE_TOOL_JSON_H_
#define BLOOMLINE_TOOL_JSON_H_

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

namespace bloomline::tool {

using Json = nlohmann::ordered_json;

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

inline void Print(const Json& json) { std::cout << json.dump(2) << '\n'; }

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_JSON_H_
