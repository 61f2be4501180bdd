// The manual page, in the macros of man(7).
#include <algorithm>

#include "bloomline/version.h"
#include "src/cli/shared/command_tree.h"

namespace bloomline::cli {
namespace {

// A dash would become a hyphen, which cannot be pasted; a line must not begin like a request.
std::string Roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    const bool line_begins = escaped.empty() || escaped.back() == '\n';
    if (line_begins && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Bold(const std::string& text) { return "\\fB" + Roff(text) + "\\fR"; }
std::string Italic(const std::string& text) { return "\\fI" + Roff(text) + "\\fR"; }

std::string Synopsis(const CommandInfo& command) {
  std::string line = Bold(command.name);
  if (!command.subcommands.empty()) line += " " + Italic("COMMAND");
  if (!command.options.empty()) line += " [" + Italic("OPTION") + "...]";
  for (const OptionInfo& positional : command.positionals) {
    const std::string name = Italic(positional.names.front()) + (positional.repeated ? "..." : "");
    line += positional.required ? " " + name : " [" + name + "]";
  }
  return line + "\n";
}

std::string OptionItem(const OptionInfo& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + Bold(name);
  const std::string value = option.value_name.empty() ? "" : " " + Italic(option.value_name);
  return ".TP\n" + names + value + "\n" + Roff(TextOf(option)) + "\n";
}

}  // namespace

std::string ManualPage(const std::vector<CommandInfo>& commands) {
  const CommandInfo& root = commands.front();
  std::string page = ".TH BLOOMLINE 1 \"\" \"bloomline " BLOOMLINE_VERSION_STRING
                     "\" \"User Commands\"\n.SH NAME\nbloomline \\- filters for key\\-value "
                     "stores: size, build, query and inspect them\n.SH SYNOPSIS\n";
  std::string synopses;
  for (const CommandInfo& command : commands) {
    if (!command.subcommands.empty()) continue;
    synopses += (synopses.empty() ? "" : ".br\n") + Synopsis(command);
  }
  page += synopses + ".SH DESCRIPTION\n" + Roff(root.description) + ".\n.SH OPTIONS\n";
  for (const OptionInfo& option : root.options) page += OptionItem(option);
  page += ".SH COMMANDS\n";
  for (const CommandInfo& command : commands) {
    if (&command == &root) continue;
    page += ".SS " + Synopsis(command) + Roff(command.description) + "\n";
    for (const OptionInfo& positional : command.positionals) {
      page += ".TP\n" + Italic(positional.names.front()) + "\n" + Roff(positional.help) + "\n";
    }
    for (const OptionInfo& option : command.options) page += OptionItem(option);
    if (!command.example.empty()) page += ".PP\nExample: " + Bold(command.example) + "\n";
    if (!command.footer.empty()) page += ".PP\n" + Roff(command.footer) + "\n";
  }
  return page +
         ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\n"
         "a file cannot be read or written, is damaged or is no filter; \\fBdb verify\\fR or "
         "\\fBdb measure \\-\\-scan\\fR found a lost key; a file lacks the filters that \\fBdb "
         "inspect "
         "\\-\\-require\\fR names; a signal ended \\fBdb warm\\fR; \\fBquery \\-\\-quiet\\fR read "
         "no key; "
         "standard output is full or closed\n.TP\n2\nthe request is impossible; standard "
         "error has the value and the allowed "
         "range\n"
         ".TP\n3\n\\fBquery \\-\\-quiet\\fR only: certainly no key is in the filter\n"
         ".SH ENVIRONMENT\n.TP\nBLOOMLINE_KERNEL\n"
         "The SIMD implementation to use, one of those that \\fBbloomline kernels\\fR lists\n";
}

}  // namespace bloomline::cli
