// --help of each command. CLI11's own would show its words for the properties of options.
#include <algorithm>
#include <map>

#include "src/cli/shared/commands.h"

namespace bloomline::cli {
namespace {

struct OptionInfo {
  std::vector<std::string> names;  // "-o", "--output"; of a positional: "FILE"
  std::string value_name;          // "FILE", "blocked|compact"; of a flag empty
  std::string help;
  std::string allowed;                // "1 to 1024", or empty
  std::string default_value;          // or empty, also where the help says it
  std::vector<std::string> excludes;  // options that must not be given as well
  bool required = false;
  bool repeated = false;
};

struct CommandInfo {
  std::string description;
  std::string example;  // a command line
  std::string footer;   // what --help says at its end
  std::vector<OptionInfo> options;
  std::vector<OptionInfo> positionals;
};

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
      {"db inspect", "bloomline db inspect /var/lib/app/db"},
      {"db measure", "bloomline db measure /var/lib/app/db"},
      {"db verify", "bloomline db verify /var/lib/app/db"},
      {"db advise", "bloomline db advise --memory 2GiB /var/lib/app/db"}};
  const auto found = kExamples.find(command);
  return found == kExamples.end() ? "" : found->second;
}

// What stands for the value of an option that takes one: "blocked|compact" for the type
// "{blocked,compact}".
std::string ValueName(const std::string& type) {
  const size_t open = type.find('{');
  const size_t close = type.find('}', open);
  if (close != std::string::npos) {
    std::string choices = type.substr(open + 1, close - open - 1);
    std::replace(choices.begin(), choices.end(), ',', '|');
    return choices;
  }
  const bool is_name =
      std::all_of(type.begin(), type.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return is_name && !type.empty() ? type : "VALUE";
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
  if (option.get_items_expected_max() != 0) info.value_name = ValueName(type);
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

std::vector<const CLI::App*> Subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) {
    return !command->get_name().empty() && !command->get_group().empty();
  });
}

CommandInfo InfoOf(const CLI::App& app) {
  CommandInfo info;
  info.description = app.get_description();
  const CLI::App* const above = app.get_parent();
  const bool is_of_group = above != nullptr && above->get_parent() != nullptr;
  info.example = ExampleOf((is_of_group ? above->get_name() + " " : "") + app.get_name());
  info.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->nonpositional() ? info.options : info.positionals).push_back(InfoOf(*option));
  }
  return info;
}

// What is said of an option: its help, the allowed range, the default and so on.
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

constexpr size_t kColumns = 80;
constexpr size_t kIndent = 26;  // of what is said of an option

// Appends `line` and the words of `text`, in lines that begin at `indent` but for the first.
void AppendWords(std::string line, const std::string& text, size_t indent, std::string* output) {
  line.resize(std::max(line.size(), indent), ' ');
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(' ', start), text.size());
    if (line.size() > indent && line.size() + 1 + end - start > kColumns) {
      *output += line + '\n';
      line.assign(indent, ' ');
    }
    if (line.size() > indent) line += ' ';
    line += text.substr(start, end - start);
    start = end + 1;
  }
  *output += line + '\n';
}

// Appends the heading, and the text behind it.
void AppendItem(const std::string& heading, const std::string& text, std::string* output) {
  std::string line = "  " + heading;
  if (line.size() + 2 > kIndent) {
    *output += line + '\n';
    line.clear();
  }
  AppendWords(line, text, kIndent, output);
}

// Appends a footer, whose lines may be of any length.
void AppendLines(const std::string& text, std::string* output) {
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    if (line.size() <= kColumns) {
      *output += line + '\n';
    } else {
      AppendWords("", line, 0, output);
    }
    start = end + 1;
  }
}

// "-o, --output FILE"
std::string Heading(const OptionInfo& option) {
  std::string text;
  for (const std::string& name : option.names) text += (text.empty() ? "" : ", ") + name;
  return option.value_name.empty() ? text : text + " " + option.value_name;
}

std::string Usage(const std::string& name, const CommandInfo& command, bool has_subcommands) {
  std::string text = "Usage: " + name;
  if (has_subcommands) return text + " COMMAND\n";
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
  const CommandInfo command = InfoOf(app);
  const std::vector<const CLI::App*> subcommands = Subcommands(app);
  std::string text;
  AppendLines(command.description + ".\n\n" + Usage(name, command, !subcommands.empty()), &text);
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
  if (!subcommands.empty()) text += "\nCommands:\n";
  for (const CLI::App* subcommand : subcommands) {
    AppendItem(subcommand->get_name(), subcommand->get_description(), &text);
  }
  if (!subcommands.empty()) {
    text += "\n'" + name + " COMMAND --help' explains a command.\n";
  }
  if (!command.footer.empty()) AppendLines("\n" + command.footer, &text);
  return text;
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
