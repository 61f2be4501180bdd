// What the commands share of the command line: exit codes, quantities.
#ifndef BLOOMLINE_CLI_SHARED_COMMANDS_H_
#define BLOOMLINE_CLI_SHARED_COMMANDS_H_

#include <CLI/CLI.hpp>
#include <string>

namespace bloomline::cli {

constexpr int kExitOk = 0;
constexpr int kExitFailure = 1;      // a file that cannot be read or written, or is not a filter
constexpr int kExitImpossible = 2;   // an invalid command line, or an impossible request
constexpr int kExitNoMatch = 3;      // query --quiet alone: certainly no key is in the filter
constexpr int kExitCheckFailed = 4;  // db verify: a lost key; db inspect --require: other filters

// Adds an option whose value `parse` reads, a function of quantity.h or one like these. *value, a
// number or an optional number, must live until the command has run.
template <typename T, typename Parse>
CLI::Option* AddQuantity(CLI::App* command, const std::string& name, T* value, Parse parse,
                         const std::string& help) {
  return command->add_option_function<std::string>(
      name,
      [=](const std::string& text) {
        std::string error;
        const auto parsed = parse(text, &error);
        if (!parsed) throw CLI::ValidationError(name + " is " + error);
        *value = *parsed;
      },
      help);
}

}  // namespace bloomline::cli

#endif  // BLOOMLINE_CLI_SHARED_COMMANDS_H_
