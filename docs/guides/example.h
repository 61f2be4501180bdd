// Helpers of the guides' programs that are not about filters: reading lists, and checks that end
// the program if they fail.
#ifndef BLOOMLINE_DOCS_GUIDES_EXAMPLE_H_
#define BLOOMLINE_DOCS_GUIDES_EXAMPLE_H_

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace example {

inline void Require(bool holds, const std::string& claim) {
  if (holds) return;
  std::fprintf(stderr, "this does not hold: %s\n", claim.c_str());
  std::exit(1);
}

inline void RequireUsage(bool holds, const char* usage) {
  if (holds) return;
  std::fprintf(stderr, "usage: %s\n", usage);
  std::exit(2);
}

inline std::vector<std::string> ReadLines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  Require(!lines.empty(), "the file has lines: " + path);
  return lines;
}

// Whether num_false_positives of num_absent queries fit the rate: at most six standard deviations
// above the mean.
inline bool RateHolds(size_t num_false_positives, size_t num_absent, double rate) {
  const double mean = rate * static_cast<double>(num_absent);
  return static_cast<double>(num_false_positives) <= mean + 6 * std::sqrt(mean) + 1;
}

inline double Percent(size_t part, size_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace example

#endif  // BLOOMLINE_DOCS_GUIDES_EXAMPLE_H_
