// --help of each command. CLI11's own would show its words for the properties of options.
#include <algorithm>

#include "src/cli/shared/command_tree.h"
#include "src/cli/shared/commands.h"

namespace bloomline::cli {
namespace {

constexpr size_t kColumns = 100;
constexpr size_t kIndent = 28;  // of what is said of an option

// Appends the heading, and the text behind it in lines that begin at kIndent.
void AppendItem(const std::string& heading, const std::string& text, std::string* output) {
  std::string line = "  " + heading;
  if (line.size() + 2 > kIndent) {
    *output += line + '\n';
    line.clear();
  }
  line.resize(kIndent, ' ');
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(' ', start), text.size());
    if (line.size() > kIndent && line.size() + 1 + end - start > kColumns) {
      *output += line + '\n';
      line.assign(kIndent, ' ');
    }
    if (line.size() > kIndent) line += ' ';
    line += text.substr(start, end - start);
    start = end + 1;
  }
  *output += line + '\n';
}

// "-o, --output FILE"
std::string Heading(const OptionInfo& option) {
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "" : ", ") + name;
  return option.value_name.empty() ? text : text + " " + option.value_name;
}

std::string Usage(const std::string& name, const CommandInfo& command) {
  std::string text = "Usage: " + name;
  if (!command.subcommands.empty()) return text + " COMMAND\n";
  text += " [OPTION...]";
  for (const OptionInfo& option : command.options) {
    if (option.required) text += " " + option.names.front() + " " + option.value_name;
  }
  for (const OptionInfo& positional : command.positionals) {
    const std::string word = positional.names.front() + (positional.repeated ? "..." : "");
    text += positional.required ? " " + word : " [" + word + "]";
  }
  return text + "\n";
}

std::string Help(const std::string& name, const CLI::App& app) {
  const std::vector<CommandInfo> commands = CommandTree(app);
  const CommandInfo& command = commands.front();
  std::string text = command.description + ".\n\n" + Usage(name, command);
  if (!command.example.empty()) text += "\nExample:\n    " + command.example + "\n";
  if (!command.positionals.empty()) text += "\nArguments:\n";
  for (const OptionInfo& positional : command.positionals) {
    AppendItem(positional.names.front() + (positional.repeated ? "..." : ""), TextOf(positional),
               &text);
  }
  text += "\nOptions:\n";
  for (const OptionInfo& option : command.options) {
    AppendItem(Heading(option), TextOf(option), &text);
  }
  if (!command.subcommands.empty()) text += "\nCommands:\n";
  for (const std::string& subcommand : command.subcommands) {
    for (const CommandInfo& child : commands) {
      if (child.name != command.name + " " + subcommand) continue;
      AppendItem(subcommand, child.description, &text);
    }
  }
  if (!command.subcommands.empty()) {
    text += "\n'" + name + " COMMAND --help' explains a command.\n";
  }
  return command.footer.empty() ? text : text + "\n" + command.footer + "\n";
}

}  // namespace

void UseOwnHelp(CLI::App* app) {
  app->formatter_fn([](const CLI::App* command, const std::string& name, CLI::AppFormatMode) {
    return Help(name, *command);
  });
}

std::vector<std::string> WithHelpInWords(const CLI::App& root, std::vector<std::string> words) {
  const CLI::App* app = &root;
  size_t i = 0;
  const auto subcommand = [&](const std::string& name) {
    const auto found =
        app->get_subcommands([&](const CLI::App* command) { return command->get_name() == name; });
    return found.empty() ? nullptr : found.front();
  };
  while (i < words.size() && subcommand(words[i]) != nullptr) app = subcommand(words[i++]);
  const bool has_subcommands = !app->get_subcommands([](const CLI::App*) { return true; }).empty();
  if (!has_subcommands) return words;
  if (i < words.size() && words[i] != "help") return words;
  if (i < words.size()) words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
  words.push_back("--help");
  return words;
}

}  // namespace bloomline::cli
