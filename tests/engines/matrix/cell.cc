#include "tests/engines/matrix/cell.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "tests/engines/matrix/keys.h"

namespace bloomline::matrix {
namespace {

struct Dimension {
  const char* name;
  std::vector<const char*> values;  // in the order of the enumeration
};

const std::array<Dimension, Cell::kDimensions>& Dimensions() {
  static const std::array<Dimension, Cell::kDimensions> dimensions = {{
      {"prefix",
       {"none", "fixed", "capped", "noop", "domain", "fixed-to-fixed", "capped-to-fixed",
        "none-to-fixed", "fixed-to-none"}},
      {"index", kHasDecoupled
                    ? std::vector<const char*>{"full", "two-level", "partitioned", "decoupled"}
                    : std::vector<const char*>{"full", "two-level", "partitioned"}},
      {"keys", {"many", "single", "nested", "reverse", "mixed"}},
      {"whole", {"off", "on"}},
      {"filter", {"blocked", "auto", "list", "gaps", "flush", "no-bottom", "bloom", "ribbon"}},
  }};
  return dimensions;
}

using Pair = std::array<size_t, 4>;  // dimension, value, dimension, value

std::vector<Pair> PairsOf(const Cell& cell) {
  std::vector<Pair> pairs;
  for (size_t i = 0; i < Cell::kDimensions; ++i) {
    for (size_t j = i + 1; j < Cell::kDimensions; ++j) {
      pairs.push_back({i, cell.values[i], j, cell.values[j]});
    }
  }
  return pairs;
}

}  // namespace

std::string Cell::Name() const {
  std::string name;
  for (size_t i = 0; i < kDimensions; ++i) {
    const Dimension& dimension = Dimensions()[i];
    name += (i == 0 ? "" : ",") + std::string(dimension.name) + "=" + dimension.values[values[i]];
  }
  return name;
}

std::vector<Cell> AllCells() {
  std::vector<Cell> cells = {{}};
  for (size_t i = 0; i < Cell::kDimensions; ++i) {
    std::vector<Cell> longer;
    for (Cell cell : cells) {
      for (size_t value = 0; value < Dimensions()[i].values.size(); ++value) {
        cell.values[i] = value;
        longer.push_back(cell);
      }
    }
    cells = longer;
  }
  return cells;
}

std::vector<Cell> PairwiseCells(uint64_t seed) {
  Random random(seed);
  std::vector<Cell> cells = AllCells();
  for (size_t i = cells.size(); i > 1; --i) std::swap(cells[i - 1], cells[random.Below(i)]);
  std::set<Pair> missing;
  for (const Cell& cell : cells) {
    for (const Pair& pair : PairsOf(cell)) missing.insert(pair);
  }
  std::vector<Cell> chosen;
  while (!missing.empty()) {
    const auto gain = [&](const Cell& cell) {
      size_t count = 0;
      for (const Pair& pair : PairsOf(cell)) count += missing.count(pair);
      return count;
    };
    const Cell* best = nullptr;
    size_t best_gain = 0;
    for (const Cell& cell : cells) {
      const size_t cell_gain = gain(cell);
      if (cell_gain > best_gain) {
        best = &cell;
        best_gain = cell_gain;
      }
    }
    for (const Pair& pair : PairsOf(*best)) missing.erase(pair);
    chosen.push_back(*best);
  }
  return chosen;
}

std::vector<Cell> CellsNamed(const std::string& text) {
  std::vector<Cell> cells = AllCells();
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    const auto lacks_part = [&](const Cell& cell) {
      return ("," + cell.Name() + ",").find("," + part + ",") == std::string::npos;
    };
    cells.erase(std::remove_if(cells.begin(), cells.end(), lacks_part), cells.end());
  }
  return cells;
}

}  // namespace bloomline::matrix
