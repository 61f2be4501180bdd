#include "src/cli/shared/printable.h"

#include <algorithm>
#include <cstddef>
#include <iostream>

namespace bloomline::cli {
namespace {

// The bytes of the printable character that `text` begins with; 0 if it begins with none.
size_t PrintableBytes(std::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= ' ' && first < 0x7f ? 1 : 0;
  if (first < 0xc2 || first > 0xf4) return 0;
  const size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // C2 80 to C2 9F are control characters. Behind E0 and F0, low bytes spell in a longer way what
  // has a shorter one, also control characters.
  const unsigned least = first == 0xc2 || first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  // Surrogates, and what is above U+10FFFF.
  const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < least || byte(1) > most) return 0;
  // Directions of text and separators of lines: U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069.
  if (first == 0xe2 && byte(1) == 0x80 && byte(2) >= 0x8e && byte(2) <= 0xae &&
      (byte(2) <= 0x8f || byte(2) >= 0xa8)) {
    return 0;
  }
  return first == 0xe2 && byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9 ? 0 : size;
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

void PrintLine(std::string_view text) { std::cout << Printable(text) << '\n'; }

void PrintError(std::string_view text) {
  // Two paths fit, as long as the system allows. The reason is at the end.
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

}  // namespace bloomline::cli
