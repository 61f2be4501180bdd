// What the commands share of the command line: exit codes, quantities.
#ifndef BLOOMLINE_TOOL_COMMANDS_H_
#define BLOOMLINE_TOOL_COMMANDS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace bloomline::tool {

constexpr int kExitOk = 0;
constexpr int kExitFailure = 1;      // a file that cannot be read or written, or is not a filter
constexpr int kExitImpossible = 2;   // an invalid command line, or an impossible request
constexpr int kExitNoMatch = 3;      // query --quiet alone: certainly no key is in the filter
constexpr int kExitCheckFailed = 4;  // db verify: a lost key; db inspect --require: other filters
constexpr int kExitFamiliesLeft =
    5;  // db rewrite: done, but families without a policy stay as they are

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

// Adds a flag with an opposite: "--progress,!--no-progress". The last one counts; without any,
// *value stays as it is. It must live until the command has run. add_flag cannot do this: CLI11
// before 2.2 counts in an optional, and sets it to 0 at once.
inline CLI::Option* AddOptionalFlag(CLI::App* command, const std::string& names,
                                    std::optional<bool>* value, const std::string& help) {
  const auto set = [=](std::int64_t last) { *value = last > 0; };
  return command->add_flag_function(names, set, help)->take_last();
}

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_COMMANDS_H_
