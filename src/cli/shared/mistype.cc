// Sentences about a command line with an unknown command or option (commands.h).
#include <algorithm>
#include <string_view>
#include <vector>

#include "src/cli/shared/commands.h"
#include "src/support/quoted.h"

namespace bloomline::cli {
namespace {

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> steps(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) steps[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) steps[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = steps[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      steps[i][j] = std::min({steps[i - 1][j] + 1, steps[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
      }
    }
  }
  return steps[a.size()][b.size()];
}

// The known name that is nearest to what was typed; empty if none is near. One that begins with
// what was typed counts as near.
std::string NearestName(std::string_view typed, const std::vector<std::string>& known) {
  constexpr size_t kMaxTyped = 40;  // longer ones are no mistakes in typing
  if (typed.empty() || typed.size() > kMaxTyped) return "";
  std::string nearest;
  size_t least = std::max<size_t>(1, typed.size() / 3) + 1;
  for (const std::string& name : known) {
    const bool begins = std::string_view(name).substr(0, typed.size()) == typed;
    const size_t distance = begins ? 1 : EditDistance(typed, name);
    if (distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
}

std::vector<const CLI::App*> Commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_name().empty(); });
}

std::string FullName(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return (parent == nullptr ? "" : FullName(*parent) + " ") + app.get_name();
}

std::string NoCommand(const CLI::App& app, const std::string& typed) {
  std::vector<std::string> names;
  std::string list;
  for (const CLI::App* command : Commands(app)) {
    if (command->get_group().empty()) continue;  // hidden
    names.push_back(command->get_name());
    list += (list.empty() ? "" : ", ") + command->get_name();
  }
  const std::string meant = NearestName(typed, names);
  return FullName(app) + ": there is no command " + support::Quoted(typed) + "; " +
         (meant.empty() ? "allowed: " + list : "did you mean '" + meant + "'?");
}

std::string NoOption(const CLI::App& app, const std::string& typed) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  std::string meant;
  if (typed.substr(0, 2) == "--") meant = NearestName(std::string_view(typed).substr(2), names);
  return FullName(app) + ": there is no option " + support::Quoted(typed) + "; " +
         (meant.empty() ? "'" + FullName(app) + " --help' lists the options"
                        : "did you mean '--" + meant + "'?");
}

// Calls on_option(app, option or null, its name as typed, the word) and on_no_command(app, word)
// until one returns a sentence.
template <typename OnOption, typename OnNoCommand>
std::string Walk(const CLI::App& root, const std::vector<std::string>& words, OnOption on_option,
                 OnNoCommand on_no_command) {
  const CLI::App* app = &root;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") break;
    if (word.size() > 1 && word[0] == '-') {
      const bool is_long = word[1] == '-';
      const std::string name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
      const CLI::Option* option = app->get_option_no_throw(name);
      if (std::string mistake = on_option(*app, option, name, word); !mistake.empty()) {
        return mistake;
      }
      // Its value may be the next word.
      if (name == word && option != nullptr && option->get_items_expected_max() > 0) ++i;
      continue;
    }
    const std::vector<const CLI::App*> commands = Commands(*app);
    if (commands.empty()) continue;
    const auto found = std::find_if(commands.begin(), commands.end(), [&](const CLI::App* command) {
      return command->get_name() == word;
    });
    if (found == commands.end()) return on_no_command(*app, word);
    app = *found;
  }
  return "";
}

}  // namespace

std::string ExplainMistype(const CLI::App& root, const std::vector<std::string>& words) {
  return Walk(
      root, words,
      [](const CLI::App& app, const CLI::Option* option, const std::string& name,
         const std::string&) { return option == nullptr ? NoOption(app, name) : ""; },
      NoCommand);
}

std::string ExplainEmptyValue(const CLI::App& root, const std::vector<std::string>& words) {
  return Walk(
      root, words,
      [](const CLI::App& app, const CLI::Option* option, const std::string& name,
         const std::string& word) -> std::string {
        const bool is_empty = word == name + "=";
        if (!is_empty || option == nullptr || option->get_items_expected_max() == 0) return "";
        return FullName(app) + ": " + word + " has no value; allowed: " + word +
               "VALUE, without a space between them";
      },
      [](const CLI::App&, const std::string&) { return ""; });
}

}  // namespace bloomline::cli
