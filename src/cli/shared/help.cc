// --help of each command.
#include <algorithm>
#include <sstream>

#include "src/cli/shared/commands.h"
#include "src/cli/shared/printable.h"

namespace bloomline::cli {
namespace {

constexpr size_t kIndent = 26;  // of the description of an option

// "1 to 1024" of CLI11's "INT in [1 - 1024]", or empty.
std::string RangeOf(const std::string& type) {
  const size_t open = type.find("in [");
  const size_t dash = type.find(" - ", open);
  const size_t close = type.find(']', open);
  if (open == std::string::npos || dash == std::string::npos || close < dash) return "";
  return type.substr(open + 4, dash - open - 4) + " to " + type.substr(dash + 3, close - dash - 3);
}

// CLI11's formatter wraps no lines, and shows its own words for the properties of options.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() {
    column_width(kIndent);
    label("OPTIONS", "OPTION...");
    label("Positionals", "Arguments");
    label("SUBCOMMAND", "COMMAND");
  }

  std::string make_description(const CLI::App* app) const override {
    return Wrapped(app->get_description() + ".", kColumns) + "\n\n";
  }

  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    if (is_positional) return option->get_name(true);
    std::string text;
    for (const std::string& name : option->get_snames()) text += ", -" + name;
    for (const std::string& name : option->get_lnames()) text += ", --" + name;
    return text.substr(2);
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_items_expected_max() == 0) return "";
    if (!option->nonpositional()) return option->get_items_expected_max() > 1 ? "..." : "";
    const std::string type = option->get_type_name();
    const bool is_name =
        std::all_of(type.begin(), type.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    return " " + (is_name && !type.empty() ? type : "VALUE");
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text = option->get_description();
    const std::string range = RangeOf(option->get_type_name());
    if (!range.empty()) text += "; " + range;
    if (!option->get_default_str().empty()) text += " [" + option->get_default_str() + "]";
    std::vector<std::string> others;
    for (const CLI::Option* other : option->get_excludes()) {
      others.push_back("--" + other->get_lnames().front());
    }
    std::sort(others.begin(), others.end());  // they are ordered by address
    if (!others.empty()) text += "; not with " + CLI::detail::join(others, " or ");
    if (option->get_required() && option->nonpositional()) text += "; required";
    return Wrapped(text, kColumns - kIndent);
  }

  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream text;
    CLI::detail::format_help(text, command->get_name(),
                             Wrapped(command->get_description(), kColumns - kIndent), kIndent);
    return text.str();
  }

  std::string make_footer(const CLI::App* app) const override {
    const std::string footer = app->get_footer();
    return footer.empty() ? "" : Wrapped(footer, kColumns) + "\n";
  }
};

}  // namespace

void UseOwnHelp(CLI::App* app) { app->formatter(std::make_shared<HelpFormatter>()); }

}  // namespace bloomline::cli
