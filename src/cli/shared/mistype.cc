// Sentences about a command line with an unknown command or option (commands.h).
#include <algorithm>
#include <string_view>
#include <vector>

#include "src/cli/shared/commands.h"
#include "src/support/quoted.h"

namespace bloomline::cli {
namespace {

// Returns the number of insertions, deletions, replacements and swaps of neighbours that turn `a`
// into `b`.
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

// Returns the known name that is nearest to the typed one; empty if none is near. A name that
// begins with the typed one counts as near.
std::string NearestName(std::string_view typed, const std::vector<std::string>& known) {
  constexpr size_t kMaxTyped = 40;  // longer ones are not typing errors
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

}  // namespace

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
  const std::string meant = NearestName(typed, names);
  return std::string("there is no ") + (is_option ? "option " : "command ") +
         support::Quoted(typed) +
         (meant.empty() ? "; allowed: " + CLI::detail::join(names, ", ")
                        : "; did you mean '" + meant + "'?");
}

}  // namespace bloomline::cli
