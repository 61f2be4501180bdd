// Options of the command line whose values quantity.h parses.
#ifndef BLOOMLINE_TOOL_QUANTITY_OPTION_H_
#define BLOOMLINE_TOOL_QUANTITY_OPTION_H_

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace bloomline::tool {

// `parse` is a function of quantity.h, or like one. *value must live until the command has run.
template <typename T, typename Parse>
CLI::Option* AddQuantity(CLI::App* command, const std::string& name, std::optional<T>* value,
                         Parse parse, const std::string& help) {
  return command
      ->add_option_function<std::string>(
          name,
          [=](const std::string& text) {
            std::string error;
            *value = parse(text, &error);
            if (!*value) throw CLI::ValidationError(name + " is " + error);
          },
          help)
      ->type_name("");
}

}  // namespace bloomline::tool

#endif  // BLOOMLINE_TOOL_QUANTITY_OPTION_H_
