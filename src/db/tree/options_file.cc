#include "src/db/tree/options_file.h"

#include <algorithm>

#include "src/filter/options/option_list.h"
#include "src/support/option_text.h"

namespace bloomline::tree {
namespace {

using support::ForEachOption;
using support::Trimmed;
using support::WithoutBraces;

// A '#' begins a comment, "\#" does not.
std::string_view WithoutComment(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || line[i - 1] != '\\')) return line.substr(0, i);
  }
  return line;
}

// The character that a backslash and `c` mean.
char Unescaped(char c) {
  if (c == 'n') return '\n';
  return c == 'r' ? '\r' : c;
}

std::string Unescape(std::string_view text) {
  std::string result;
  bool escaped = false;
  for (const char c : text) {
    if (!escaped && c == '\\') {
      escaped = true;
      continue;
    }
    result += escaped ? Unescaped(c) : c;
    escaped = false;
  }
  return result;
}

// The map for the options of section [`title` "`argument`"]; null if the section is skipped.
OptionTexts* SectionOf(std::string_view line, OptionsFile* options) {
  const size_t begin = line.find('"');
  const size_t end = line.rfind('"');
  const std::string_view title =
      Trimmed(begin == line.npos ? line.substr(1, line.size() - 2) : line.substr(1, begin - 1));
  if (title == "Version") return &options->version;
  if (title == "DBOptions") return &options->database;
  constexpr std::string_view kTables = "TableOptions/";
  if (title != "CFOptions" && title.substr(0, kTables.size()) != kTables) return nullptr;
  if (begin == end) return nullptr;
  return &options->families[Unescape(line.substr(begin + 1, end - begin - 1))];
}

}  // namespace

void ParseOptionsFile(std::string_view text, OptionsFile* options) {
  OptionTexts* section = nullptr;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trimmed(WithoutComment(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.size() >= 2 && line.front() == '[' && line.back() == ']') {
      section = SectionOf(line, options);
      continue;
    }
    const size_t equals = line.find('=');
    if (section == nullptr || equals == line.npos) continue;
    const std::string_view value = Trimmed(line.substr(equals + 1));
    // A column family's option precedes the table's option of that name; emplace keeps the first.
    section->emplace(Trimmed(line.substr(0, equals)),
                     value.substr(0, 1) == "{" ? std::string(value) : Unescape(value));
  }
}

std::string OptionId(std::string_view value) {
  value = WithoutBraces(value);
  if (value.find('=') == value.npos) return std::string(Trimmed(value.substr(0, value.find(';'))));
  std::string id;
  ForEachOption(value, [&](std::string_view name, std::string_view text) {
    if (name == "id" && id.empty()) id = WithoutBraces(text);
  });
  return id;
}

OptionTexts ParsePolicyOptions(std::string_view value) {
  OptionTexts options;
  ForEachOption(WithoutBraces(value), [&](std::string_view name, std::string_view text) {
    options.emplace(name, WithoutBraces(text));
  });
  return options;
}

std::string ShortPolicy(std::string_view value) {
  const std::string id = OptionId(value);
  if (id != "bloomline") return std::string(value);
  std::string options;
  ForEachOption(WithoutBraces(value), [&](std::string_view name, std::string_view text) {
    const filter::PolicyOption* const option = filter::FindOption(name);
    const bool is_default = option != nullptr && option->default_value == text;
    if (name != "id" && !is_default) options += std::string(name) + "=" + std::string(text) + ";";
  });
  return options.empty() ? id : "{id=" + id + ";" + options + "}";
}

}  // namespace bloomline::tree
