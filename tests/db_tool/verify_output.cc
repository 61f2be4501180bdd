#include "tests/db_tool/verify_output.h"

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/db_tool/table_bytes.h"

namespace bloomline::tests {
namespace {

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

}  // namespace

VerifyOutput Verify(const std::string& folder) {
  VerifyOutput output;
  const std::string errors = folder + ".stderr";
  const std::string command = "'" BLOOMLINE_TOOL_PATH
                              "' db verify --threads 1 --max-errors 1000000 --json '" +
                              folder + "' 2>'" + errors + "'";
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    output.text.append(buffer, n);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) output.exit_code = WEXITSTATUS(status);
  const auto json = nlohmann::json::parse(output.text, nullptr, /*allow_exceptions=*/false);
  output.text += ReadFile(errors);
  if (!json.is_object()) return output;
  for (const auto& file : json["files"]) {
    for (const auto& lost : file["lost_keys"]) {
      LostKey key;
      key.file = file["path"].get<std::string>();
      key.key = FromHex(lost["key_hex"]);
      key.block_offset = lost["block_offset"];
      const bool is_prefix = lost.contains("prefix_hex");
      if (is_prefix) key.prefix = FromHex(lost["prefix_hex"]);
      (is_prefix ? output.prefixes : output.keys).push_back(key);
    }
  }
  output.num_lost = json["lost"];
  output.num_keys_checked = json["keys_checked"];
  output.num_prefixes_checked = json["prefixes_checked"];
  output.num_entries = json["entries"];
  for (const auto& skipped : json["not_checked"]) {
    output.num_unchecked += skipped["count"].get<uint64_t>();
  }
  return output;
}

}  // namespace bloomline::tests
