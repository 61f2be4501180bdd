#include "src/db/survey/range_kinds.h"

#include <iterator>
#include <utility>

#include "src/support/hex.h"
#include "src/tool/quantity.h"

namespace bloomline::db {
namespace {

// "7", and "8+" for filter::kMaxDepth
std::string DepthText(size_t depth) {
  return std::to_string(depth) + (depth == filter::kMaxDepth ? "+" : "");
}

// "'/'" or "0x00"
std::string DelimiterText(unsigned char delimiter) {
  if (delimiter > ' ' && delimiter < 0x7f) return {'\'', static_cast<char>(delimiter), '\''};
  const auto byte = static_cast<char>(delimiter);
  return "0x" + support::Hex({&byte, 1});
}

// "13.5"
std::string BitsAsBytes(unsigned bits) {
  return tool::NumberText(bits / 8.0, bits % 8 == 0 ? 0 : 1);
}

// "1-3, 5, 8+"
std::string DepthsText(unsigned depths) {
  std::string text;
  for (unsigned i = 0; depths >> i != 0; ++i) {
    const bool has_last = i > 0 && (depths >> (i - 1) & 1) != 0;
    if ((depths >> i & 1) == 0 || has_last) continue;
    unsigned end = i + 1;
    while ((depths >> end & 1) != 0) ++end;
    text += (text.empty() ? "" : ", ") + DepthText(i + 1);
    if (end > i + 1) text += "-" + DepthText(end);
  }
  return text;
}

}  // namespace

void RangeKinds::Add(const filter::EntryKinds& kinds) {
  for (size_t i = 0; i < kinds.num_cells; ++i) cell_bits.insert(kinds.cells[i].bits);
  for (size_t i = 0; i < kinds.num_prefixes; ++i) {
    const filter::EntryKinds::Prefix& prefix = kinds.prefixes[i];
    depths[prefix.delimiter] |= static_cast<uint8_t>(1U << (prefix.depth - 1));
  }
}

void RangeKinds::Add(const RangeKinds& other) {
  cell_bits.insert(other.cell_bits.begin(), other.cell_bits.end());
  for (const auto& [delimiter, its_depths] : other.depths) depths[delimiter] |= its_depths;
}

std::string RangeKinds::Text() const {
  std::string text;
  for (auto bits = cell_bits.begin(); bits != cell_bits.end(); ++bits) {
    text += (text.empty() ? "" : ", ") + BitsAsBytes(*bits);
    auto last = bits;
    while (std::next(last) != cell_bits.end() &&
           filter::CellBytes(*std::next(last)) == filter::CellBytes(*bits)) {
      ++last;
    }
    if (last != bits) text += "-" + BitsAsBytes(*last);
    bits = last;
  }
  if (!text.empty()) text += text == "1" ? " byte" : " bytes";
  for (const auto& [delimiter, its_depths] : depths) {
    text += (text.empty() ? "after " : "; after ") + DelimiterText(delimiter) + " " +
            DepthsText(its_depths);
  }
  return text;
}

tool::Json RangeKinds::ToJson() const {
  tool::Json delimiters = tool::Json::array();
  for (const auto& [delimiter, its_depths] : depths) {
    tool::Json numbers = tool::Json::array();
    for (unsigned i = 0; i < filter::kMaxDepth; ++i) {
      if ((its_depths >> i & 1) != 0) numbers.push_back(i + 1);
    }
    delimiters.push_back({{"byte", delimiter}, {"depths", std::move(numbers)}});
  }
  return {{"bits", cell_bits}, {"delimiters", std::move(delimiters)}};
}

}  // namespace bloomline::db
