#include "src/filter/sizing/left_over.h"

namespace bloomline::filter {

double LeftOverBits(const PromisedMemory& promise, const TreeFill&, const NewFilter&) {
  return promise.mean_bits;
}

std::vector<double> LeftOverBitsOfAll(const PromisedMemory& promise, TreeFill tree) {
  return std::vector<double>(tree.levels.size(), promise.mean_bits);
}

void SetTargets(const LevelTargets&, TreeFill*) {}

}  // namespace bloomline::filter
