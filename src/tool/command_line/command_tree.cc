#include "src/tool/command_line/command_tree.h"

#include <algorithm>

namespace bloomline::tool {
namespace {

// "{blocked,compact}" has two.
std::vector<std::string> ChoicesOf(const std::string& type) {
  std::vector<std::string> choices;
  const size_t open = type.find('{');
  const size_t close = type.find('}', open);
  if (close == std::string::npos) return choices;
  for (size_t start = open + 1; start < close;) {
    const size_t end = std::min(type.find(',', start), close);
    choices.push_back(type.substr(start, end - start));
    start = end + 1;
  }
  return choices;
}

// "1 to 1024" of "INT in [1 - 1024]".
std::string RangeOf(const std::string& type) {
  const size_t open = type.find("in [");
  const size_t dash = type.find(" - ", open);
  const size_t close = type.find(']', open);
  if (open == std::string::npos || dash == std::string::npos || close < dash) return "";
  return type.substr(open + 4, dash - open - 4) + " to " + type.substr(dash + 3, close - dash - 3);
}

OptionInfo InfoOf(const CLI::Option& option) {
  OptionInfo info;
  const bool positional = option.nonpositional() == false;
  if (positional) {
    info.names.push_back(option.get_name(true));
  } else {
    for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  }
  const std::string type = option.get_type_name();
  info.choices = ChoicesOf(type);
  const auto mentions = [&](const char* word) { return type.find(word) != std::string::npos; };
  if (option.get_items_expected_max() == 0) {
    info.value = OptionInfo::Value::kNone;
  } else if (!info.choices.empty()) {
    info.value = OptionInfo::Value::kChoice;
  } else if (positional || mentions("FILE") || mentions("DIR") || mentions("PATH")) {
    info.value = OptionInfo::Value::kFile;
  }
  info.help = option.get_description();
  info.allowed = RangeOf(type);
  info.default_value = option.get_default_str();
  for (const CLI::Option* other : option.get_excludes()) {
    info.excludes.push_back("--" + other->get_lnames().front());
  }
  std::sort(info.excludes.begin(), info.excludes.end());  // they are ordered by address
  info.required = option.get_required();
  info.repeated = option.get_items_expected_max() > 1;
  return info;
}

void Append(const CLI::App& app, const std::string& parent, std::vector<CommandInfo>* commands) {
  CommandInfo info;
  info.name = parent + app.get_name();
  info.description = app.get_description();
  info.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->nonpositional() ? info.options : info.positionals).push_back(InfoOf(*option));
  }
  const auto subcommands = app.get_subcommands([](const CLI::App* subcommand) {
    return !subcommand->get_name().empty() && !subcommand->get_group().empty();
  });
  for (const CLI::App* command : subcommands) info.subcommands.push_back(command->get_name());
  commands->push_back(info);
  for (const CLI::App* command : subcommands) Append(*command, info.name + " ", commands);
}

}  // namespace

std::vector<CommandInfo> CommandTree(const CLI::App& root) {
  std::vector<CommandInfo> commands;
  Append(root, "", &commands);
  return commands;
}

}  // namespace bloomline::tool
