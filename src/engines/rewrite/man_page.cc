#include "src/engines/rewrite/man_page.h"

#include <algorithm>

#include "bloomline/version.h"

namespace bloomline::rewrite {
namespace {

// A line of text. A dash would become a hyphen, which cannot be pasted; a line must not begin like
// a request.
std::string Roff(std::string_view line) {
  std::string escaped = line[0] == '.' || line[0] == '\'' ? "\\&" : "";
  for (const char c : line) {
    if (c == '-') escaped += '\\';
    escaped += c == '\\' ? "\\e" : std::string(1, c);
  }
  return escaped + "\n";
}

bool TakeStart(std::string_view start, std::string_view* line) {
  if (line->substr(0, start.size()) != start) return false;
  line->remove_prefix(start.size());
  return true;
}

}  // namespace

std::string ManualPage(std::string_view help) {
  std::string synopsis, description, example, items, exit_status;
  std::string* section = &description;
  bool is_paragraph = false;  // the next line of text begins one
  while (!help.empty()) {
    std::string_view line = help.substr(0, help.find('\n'));
    help.remove_prefix(std::min(line.size() + 1, help.size()));
    if (TakeStart("Usage: ", &line)) section = &synopsis;
    if (TakeStart("Example:", &line)) section = &example;
    if (TakeStart("Arguments:", &line) || TakeStart("Options:", &line)) section = &items;
    if (TakeStart("Exit code: ", &line)) section = &exit_status;
    if (line.empty()) {  // or it was a heading, which lines with an indent follow
      if (help.substr(0, 1) != " ") section = &description;
      is_paragraph = true;
      continue;
    }
    const size_t indent = line.find_first_not_of(' ');
    line.remove_prefix(indent);
    if (section == &items && indent == 2) {
      const size_t end = line.find("  ");
      *section += ".TP\n.B " + Roff(line.substr(0, end));
      line.remove_prefix(line.find_first_not_of(' ', end));
    }
    if (section == &description && is_paragraph && !section->empty()) *section += ".PP\n";
    is_paragraph = false;
    *section += Roff(line);
  }
  return ".TH BLOOMLINE\\-REWRITE 1 \"\" \"bloomline " BLOOMLINE_VERSION_STRING
         "\" \"User Commands\"\n.SH NAME\nbloomline\\-rewrite \\- new filters for the files of a "
         "RocksDB database\n.SH SYNOPSIS\n" +
         synopsis + ".SH DESCRIPTION\n" + description + ".SH OPTIONS\n" + items +
         ".SH EXIT STATUS\n" + exit_status + ".SH EXAMPLE\n.nf\n" + example + ".fi\n";
}

}  // namespace bloomline::rewrite
