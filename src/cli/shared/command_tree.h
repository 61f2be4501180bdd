// The commands and options of the command line, as completion and the manual page need them.
#ifndef BLOOMLINE_CLI_SHARED_COMMAND_TREE_H_
#define BLOOMLINE_CLI_SHARED_COMMAND_TREE_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace bloomline::cli {

struct OptionInfo {
  enum class Value { kNone, kFile, kChoice, kOther };

  std::vector<std::string> names;  // "-o", "--output"; of a positional: "FILE"
  Value value = Value::kOther;     // kNone: a flag
  std::string value_name;          // "FILE", "blocked|compact"; of a flag empty
  std::vector<std::string> choices;
  std::string help;
  std::string allowed;                // "1 to 1024", or empty
  std::string default_value;          // or empty, also where the help says it
  std::vector<std::string> excludes;  // options that must not be given as well
  bool required = false;
  bool repeated = false;
};

struct CommandInfo {
  std::string name;  // "bloomline db inspect"
  std::string description;
  std::string example;  // a command line
  std::string footer;   // what --help says at its end
  std::vector<OptionInfo> options;
  std::vector<OptionInfo> positionals;
  std::vector<std::string> subcommands;  // "inspect"
};

// Without hidden commands and options. The first is `root`; each is followed by its subcommands.
std::vector<CommandInfo> CommandTree(const CLI::App& root);

// What help and manual say of an option: its help, the allowed range, the default and so on.
std::string TextOf(const OptionInfo& option);

std::string ManualPage(const std::vector<CommandInfo>& commands);

}  // namespace bloomline::cli

#endif  // BLOOMLINE_CLI_SHARED_COMMAND_TREE_H_
