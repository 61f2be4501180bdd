// Sentences about a command line with an unknown command or option (commands.h).
#include <string>
#include <vector>

#include "src/cli/shared/commands.h"
#include "src/support/nearest_name.h"
#include "src/support/quoted.h"

namespace bloomline::cli {

std::string ExplainMistype(const CLI::App& app, const std::string& word) {
  const bool is_option = word.size() > 1 && word[0] == '-';
  const std::string typed = is_option ? word.substr(0, word.find('=')) : word;
  std::vector<std::string> names;
  if (is_option) {
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  } else {
    for (const CLI::App* command : app.get_subcommands(nullptr)) {
      names.push_back(command->get_name());
    }
  }
  if (names.empty()) return "";
  const std::string meant = support::NearestName(typed, names);
  return std::string("there is no ") + (is_option ? "option " : "command ") +
         support::Quoted(typed) +
         (meant.empty() ? "; allowed: " + CLI::detail::join(names, ", ")
                        : "; did you mean '" + meant + "'?");
}

}  // namespace bloomline::cli
