#include "src/cli/shared/command_tree.h"

#include <algorithm>
#include <map>

namespace bloomline::cli {
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

std::string ExampleOf(const std::string& command) {
  static const std::map<std::string, std::string> kExamples = {
      {"size", "bloomline size --keys 5e9 --fpr 1%"},
      {"build", "seq 1000000 | bloomline build -o numbers.filter --format compact --fpr 1%"},
      {"query", "seq 999999 1000200 | bloomline query numbers.filter"},
      {"inspect", "bloomline inspect numbers.filter"},
      {"kernels", "BLOOMLINE_KERNEL=portable bloomline kernels"},
      {"completion", "source <(bloomline completion bash)"},
      {"db inspect", "bloomline db inspect /var/lib/app/db"},
      {"db measure", "bloomline db measure /var/lib/app/db"},
      {"db verify", "bloomline db verify /var/lib/app/db"},
      {"db advise", "bloomline db advise --memory 2GiB /var/lib/app/db"},
      {"db warm", "bloomline db warm --limit 2GiB /var/lib/app/db"}};
  const auto found = kExamples.find(command);
  return found == kExamples.end() ? "" : found->second;
}

// What stands for the value of an option that takes one.
std::string ValueName(const OptionInfo& info, const std::string& type) {
  std::string name;
  for (const std::string& choice : info.choices) name += (name.empty() ? "" : "|") + choice;
  if (!name.empty()) return name;
  const bool is_name =
      std::all_of(type.begin(), type.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return is_name && !type.empty()                 ? type
         : info.value == OptionInfo::Value::kFile ? "FILE"
                                                  : "VALUE";
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
  if (info.value != OptionInfo::Value::kNone) info.value_name = ValueName(info, type);
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
  const CLI::App* const above = app.get_parent();
  const bool is_of_group = above != nullptr && above->get_parent() != nullptr;
  info.example = ExampleOf((is_of_group ? above->get_name() + " " : "") + app.get_name());
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

std::string TextOf(const OptionInfo& option) {
  std::string text = option.help;
  if (!option.allowed.empty()) text += "; " + option.allowed;
  if (!option.default_value.empty()) text += " [" + option.default_value + "]";
  for (const std::string& other : option.excludes) {
    text += (other == option.excludes.front() ? "; not with " : " or ") + other;
  }
  const bool is_positional = option.names.front()[0] != '-';
  return option.required && !is_positional ? text + "; required" : text;
}

std::vector<CommandInfo> CommandTree(const CLI::App& root) {
  std::vector<CommandInfo> commands;
  Append(root, "", &commands);
  return commands;
}

}  // namespace bloomline::cli
