#include "src/filter/ranges/entry_kinds_text.h"

namespace bloomline::filter {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

// From *first on, all kinds of a delimiter; moves *first behind them.
std::string DelimiterText(const EntryKinds& kinds, size_t* first) {
  const unsigned char delimiter = kinds.prefixes[*first].delimiter;
  std::string depths;
  for (; *first < kinds.num_prefixes && kinds.prefixes[*first].delimiter == delimiter; ++*first) {
    depths += depths.empty() ? '@' : '+';
    depths += static_cast<char>('0' + kinds.prefixes[*first].depth);
  }
  const std::string text =
      std::string("after0x") + kHexDigits[delimiter >> 4] + kHexDigits[delimiter & 15];
  return depths.size() == 2 * kMaxDepth ? text : text + depths;
}

}  // namespace

std::string OptionText(const EntryKinds& kinds) {
  if (kinds.empty()) return "none";
  std::string text;
  for (size_t i = 0; i < kinds.num_cells; ++i) {
    const unsigned bits = kinds.cells[i].bits;
    text += text.empty() ? "" : ":";
    text += bits % 8 == 0 ? std::to_string(bits / 8) : std::to_string(bits) + "bits";
  }
  for (size_t i = 0; i < kinds.num_prefixes;) {
    text += text.empty() ? "" : ":";
    text += DelimiterText(kinds, &i);
  }
  return text;
}

}  // namespace bloomline::filter
