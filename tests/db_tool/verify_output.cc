#include "tests/db_tool/verify_output.h"

#include <cstdlib>
#include <string>

#include "tests/db_tool/tool_run.h"

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
  const ToolRun run = RunTool("db verify --threads 1 --max-errors 1000000 --json", folder);
  output.exit_code = run.exit_code;
  output.text = run.text;
  const nlohmann::json& json = run.json;
  if (json.empty()) return output;
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
