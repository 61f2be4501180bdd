// Options of the command line whose values quantity.h parses.
#ifndef BLOOMLINE_CLI_SHARED_QUANTITY_OPTION_H_
#define BLOOMLINE_CLI_SHARED_QUANTITY_OPTION_H_

#include <CLI/CLI.hpp>
#include <string>

namespace bloomline::cli {

// `parse` is a function of quantity.h, or a similar one. *value, a number or an optional one, must
// live until the command has run.
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

#endif  // BLOOMLINE_CLI_SHARED_QUANTITY_OPTION_H_
