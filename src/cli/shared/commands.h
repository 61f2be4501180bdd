// The subcommands of `bloomline`. Each adds itself to the command line, and sets *exit_code if it
// runs.
#ifndef BLOOMLINE_CLI_SHARED_COMMANDS_H_
#define BLOOMLINE_CLI_SHARED_COMMANDS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace bloomline::cli {

constexpr int kExitOk = 0;
constexpr int kExitFailure = 1;     // a file that cannot be read or written, or is no filter
constexpr int kExitImpossible = 2;  // an invalid command line, or an impossible request
constexpr int kExitNoMatch = 3;     // query --quiet alone: certainly no key is in the filter

void AddSizeCommand(CLI::App* app, int* exit_code);
void AddBuildCommand(CLI::App* app, int* exit_code);
void AddQueryCommand(CLI::App* app, int* exit_code);
void AddInspectCommand(CLI::App* app, int* exit_code);
void AddKernelsCommand(CLI::App* app, int* exit_code);

// For the commands that are added from now on, too.
void UseOwnHelp(CLI::App* app);

// `words` of a command line without the program's name. In place of "help", and where a command
// is missing, they get "--help".
std::vector<std::string> WithHelpInWords(const CLI::App& app, std::vector<std::string> words);

// One sentence about the first unknown command or option of a command line, with the one that was
// probably meant. Empty if all exist: then something else is wrong.
std::string ExplainMistype(const CLI::App& app, const std::vector<std::string>& words);

// One sentence about the first "--option=" with nothing behind it, or empty. CLI11 would take the
// next word as its value.
std::string ExplainEmptyValue(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace bloomline::cli

#endif  // BLOOMLINE_CLI_SHARED_COMMANDS_H_
