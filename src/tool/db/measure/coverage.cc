#include "src/tool/db/measure/coverage.h"

#include <algorithm>
#include <cstddef>

namespace bloomline::tool::db {
namespace {

size_t CommonPrefix(std::string_view a, std::string_view b) {
  const size_t most = std::min(a.size(), b.size());
  size_t n = 0;
  while (n < most && a[n] == b[n]) ++n;
  return n;
}

// The 8 bytes behind `skip` as a fraction of 2^64; a key that ends earlier is filled with zeros.
double Position(std::string_view key, size_t skip) {
  double position = 0;
  double unit = 1.0 / 256;
  for (size_t i = skip; i < key.size() && i < skip + 8; ++i, unit /= 256) {
    position += unit * static_cast<unsigned char>(key[i]);
  }
  return position;
}

struct WeightedRange {
  double low;
  double high;
  double weight;

  // The fraction of this interval's keys below x. One key, or keys that 8 bytes do not tell apart,
  // are spread over nothing.
  double Below(double x) const {
    if (x <= low) return 0;
    return x >= high ? 1 : (x - low) / (high - low);
  }
  double UpTo(double x) const {
    if (x < low) return 0;
    return x >= high ? 1 : (x - low) / (high - low);
  }
};

}  // namespace

std::vector<double> Coverage(const std::vector<KeyRange>& ranges) {
  std::vector<WeightedRange> intervals;
  if (ranges.empty()) return {};
  size_t skip = ranges[0].first.size();
  for (const KeyRange& range : ranges) {
    skip = std::min({skip, CommonPrefix(ranges[0].first, range.first),
                     CommonPrefix(ranges[0].first, range.last)});
  }
  for (const KeyRange& range : ranges) {
    const double a = Position(range.first, skip);
    const double b = Position(range.last, skip);
    intervals.push_back({std::min(a, b), std::max(a, b), range.num_keys});
  }
  constexpr size_t kMost = 4096;
  const size_t step = (intervals.size() + kMost - 1) / kMost;
  std::vector<double> coverage;
  coverage.reserve(intervals.size());
  for (const WeightedRange& range : intervals) {
    double inside = 0;
    double all = 0;
    for (size_t i = 0; i < intervals.size(); i += step) {
      const WeightedRange& keys = intervals[i];
      inside += keys.weight * (keys.UpTo(range.high) - keys.Below(range.low));
      all += keys.weight;
    }
    coverage.push_back(all > 0 ? inside / all : 1);
  }
  return coverage;
}

}  // namespace bloomline::tool::db
