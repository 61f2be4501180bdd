// bloomline inspect: the command line and the output of inspect.h.
#include <iostream>
#include <memory>

#include "src/memory/file_io.h"
#include "src/memory/filter_memory.h"
#include "src/memory/system_error.h"
#include "src/tool/commands.h"
#include "src/tool/inspect.h"

namespace bloomline::tool {
namespace {

std::optional<Facts> InspectFile(const std::string& path, std::string* error) {
  filters::InputFile file;
  if (!file.Open(path, error)) return std::nullopt;
  // Mapped, so that a file of any length takes no memory: what is no filter is told by its end.
  filters::FilterMemory memory;
  if (file.size() != 0) {
    memory = filters::FilterMemory::OfFile(file.descriptor(), file.size());
    if (memory.data() == nullptr) {
      filters::SystemFailure(path, "cannot be mapped", error);
      return std::nullopt;
    }
  }
  const std::string_view bytes(memory.data(), file.size());
  return IsSavedFilter(bytes) ? InspectSavedFilter(path, bytes, error) : InspectBytes(bytes);
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
