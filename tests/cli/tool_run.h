// Runs the command `bloomline`.
#ifndef BLOOMLINE_TESTS_CLI_TOOL_RUN_H_
#define BLOOMLINE_TESTS_CLI_TOOL_RUN_H_

#include <sys/wait.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/temp_dir.h"

namespace bloomline::tests {

struct ToolRun {
  int exit_code = -1;
  std::string text;     // all that it printed
  nlohmann::json json;  // an object, empty if it printed something else
};

// `arguments` are words for the shell; stderr goes to a file beside `folder`.
inline ToolRun RunTool(const std::string& arguments, const std::string& folder) {
  ToolRun run;
  const std::string errors = folder + ".stderr";
  const std::string command =
      "'" BLOOMLINE_TOOL_PATH "' " + arguments + " '" + folder + "' 2>'" + errors + "'";
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return run;
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    run.text.append(buffer, n);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  run.json = nlohmann::json::parse(run.text, nullptr, /*allow_exceptions=*/false);
  if (!run.json.is_object()) run.json = nlohmann::json::object();
  run.text += ReadFile(errors);
  return run;
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_CLI_TOOL_RUN_H_
