#include "tests/tool/tool_run.h"

#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <iterator>

namespace bloomline::tests {

ToolRun RunTool(const std::string& arguments, const std::string& folder) {
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
  std::ifstream file(errors);
  run.text.append(std::istreambuf_iterator<char>(file), {});
  return run;
}

}  // namespace bloomline::tests
