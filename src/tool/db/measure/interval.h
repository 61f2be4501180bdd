// Confidence intervals of measured rates.
#ifndef BLOOMLINE_TOOL_DB_MEASURE_INTERVAL_H_
#define BLOOMLINE_TOOL_DB_MEASURE_INTERVAL_H_

#include <algorithm>
#include <cmath>

namespace bloomline::tool::db {

struct Interval {
  double low = 0;
  double high = 1;
};

// Wilson's interval of 95 % for a rate that was measured by `queries` queries, which may be an
// effective number. Right for rates near 0 and for few queries, too.
inline Interval ConfidenceInterval(double rate, double queries) {
  constexpr double z = 1.959964;
  if (!(queries > 0)) return {};
  const double center = (rate + z * z / (2 * queries)) / (1 + z * z / queries);
  const double half = z / (1 + z * z / queries) *
                      std::sqrt(rate * (1 - rate) / queries + z * z / (4 * queries * queries));
  // Rounded, the ends would be 1.7e-16 and the like.
  return {rate > 0 ? std::max(0.0, center - half) : 0, rate < 1 ? std::min(1.0, center + half) : 1};
}

// The mean of rates with weights, and as many queries of one filter as tell as much about it.
class WeightedRate {
 public:
  void Add(double weight, double rate, double queries) {
    if (!(queries > 0) || !(weight > 0)) return;
    weights_ += weight;
    rates_ += weight * rate;
    squares_ += weight * weight / queries;
  }
  double weight() const { return weights_; }
  double rate() const { return weights_ > 0 ? rates_ / weights_ : std::nan(""); }
  double queries() const { return squares_ > 0 ? weights_ * weights_ / squares_ : 0; }

 private:
  double weights_ = 0;
  double rates_ = 0;
  double squares_ = 0;
};

}  // namespace bloomline::tool::db

#endif  // BLOOMLINE_TOOL_DB_MEASURE_INTERVAL_H_
