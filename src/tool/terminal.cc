#include "src/tool/terminal.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <sstream>

namespace bloomline::tool {
namespace {

// Returns the length in bytes of the printable character that `text` begins with; 0 if it begins
// with bytes outside UTF-8, or with a character that is a control, changes the direction of text or
// separates lines.
size_t PrintableBytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return first >= ' ' && first < 0x7f ? 1 : 0;
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc0 || size > text.size()) return 0;
  uint32_t code = first & (0xffu >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte & 0x3f);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0xa0, 0x800, 0x10000};  // lower codes have a shorter form
  const auto is_in = [=](uint32_t from, uint32_t to) { return code >= from && code <= to; };
  const bool is_refused = code < kLeast[size] || first >= 0xf8 || code > 0x10ffff ||
                          is_in(0xd800, 0xdfff) || is_in(0x200e, 0x200f) || is_in(0x2028, 0x202e) ||
                          is_in(0x2066, 0x2069);
  return is_refused ? 0 : size;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const size_t size = PrintableBytes(text);
    printable += size == 0 ? std::string_view("?") : text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return printable;
}

std::string Wrapped(const std::string& text, size_t columns) {
  std::string wrapped;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    while (line.size() > columns) {
      const size_t space = line.rfind(' ', columns);
      const size_t semicolon = line.rfind(';', columns - 1);
      if (space != std::string::npos) {
        wrapped += line.substr(0, space) + '\n';
        line.erase(0, space + 1);
      } else if (semicolon != std::string::npos) {
        wrapped += line.substr(0, semicolon + 1) + '\n';
        line.erase(0, semicolon + 1);
      } else {
        break;
      }
    }
    wrapped += line + '\n';
  }
  wrapped.pop_back();
  return wrapped;
}

bool FlushOutput() {
  static int first_error = 0;  // std::cout does not try again
  errno = 0;
  if (std::cout.flush() && std::fflush(stdout) == 0) return true;
  if (first_error == 0) first_error = errno;
  errno = first_error;
  return false;
}

void PrintLine(std::string_view text) { std::cout << Printable(text) << '\n'; }

void PrintError(std::string_view text) {
  // Two paths of the system's greatest length fit, and the reason, which is at the end, stays.
  constexpr size_t kMostBegin = 9000, kMostEnd = 300;
  if (text.size() <= kMostBegin + kMostEnd) {
    std::cerr << Printable(text) << '\n';
    return;
  }
  std::cerr << Printable(text.substr(0, kMostBegin)) << "..."
            << Printable(text.substr(text.size() - kMostEnd)) << '\n';
}

std::string TextTable(std::vector<std::vector<std::string>> rows, size_t num_left) {
  std::vector<size_t> widths;
  for (auto& row : rows) {
    for (std::string& cell : row) cell = Printable(cell);
    widths.resize(std::max(widths.size(), row.size()));
    if (row.size() == 1) continue;
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    if (row.size() == 1) {
      text += row[0] + '\n';
      continue;
    }
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (i < num_left ? row[i] + space : space + row[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}  // namespace bloomline::tool
