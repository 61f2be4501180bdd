// Runs the command `bloomline`.
#ifndef BLOOMLINE_TESTS_TOOL_TOOL_RUN_H_
#define BLOOMLINE_TESTS_TOOL_TOOL_RUN_H_

#include <nlohmann/json.hpp>
#include <string>

namespace bloomline::tests {

struct ToolRun {
  int exit_code = -1;
  std::string text;     // all that it printed
  nlohmann::json json;  // an object, empty if it printed something else
};

// `arguments` are words for the shell; stderr goes to a file beside `folder`.
ToolRun RunTool(const std::string& arguments, const std::string& folder);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_TOOL_TOOL_RUN_H_
