// bloomline inspect: the command line and the output of inspect.h.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <vector>

#include "src/tool/commands.h"
#include "src/tool/inspect.h"

namespace bloomline::tool {
namespace {

// At most max_bytes. False with errno set. Not a stream, which would keep the reason to itself.
bool ReadFile(const std::string& path, size_t max_bytes, std::string* bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (file == nullptr) return false;
  std::vector<char> buffer(1 << 20);
  while (bytes->size() < max_bytes) {
    const size_t wanted = std::min(buffer.size(), max_bytes - bytes->size());
    const size_t count = std::fread(buffer.data(), 1, wanted, file.get());
    if (count == 0) break;
    bytes->append(buffer.data(), count);
  }
  return std::ferror(file.get()) == 0;
}

std::optional<Facts> InspectFile(const std::string& path, std::string* error) {
  constexpr size_t kFirstBytes = 8;
  std::string bytes;
  bool read = ReadFile(path, kFirstBytes, &bytes);
  if (read && IsSavedFilter(bytes)) return InspectSavedFilter(path, bytes, error);
  bytes.clear();
  read = read && ReadFile(path, SIZE_MAX, &bytes);
  if (read) return InspectBytes(bytes);
  *error = path + ": " + std::strerror(errno);
  return std::nullopt;
}

int Run(const std::string& path, bool as_json) {
  std::string error;
  const std::optional<Facts> facts = InspectFile(path, &error);
  if (!facts) {
    std::cerr << "bloomline inspect: " << error << '\n';
    return kExitFailure;
  }
  Json json;
  for (const Fact& fact : *facts) {
    json[fact.name] = fact.value;
    if (!as_json && !fact.label.empty()) std::cout << fact.label << ": " << fact.text << '\n';
  }
  if (as_json) Print(json);
  return kExitOk;
}

}  // namespace

void AddInspectCommand(CLI::App* app, int* exit_code) {
  CLI::App* command = app->add_subcommand(
      "inspect",
      "What a file is that holds a filter: bytes from FilterBuilder::Finish, or a saved filter");
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("FILE", *path, "The file")->required()->type_name("");
  command->add_flag("--json", *json, "Print JSON");
  command->callback([=] { *exit_code = Run(*path, *json); });
}

}  // namespace bloomline::tool
