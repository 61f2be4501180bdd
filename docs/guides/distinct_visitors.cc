// Counts the distinct visitors of each page, per day and for two days together.
// Usage: distinct_visitors CITATIONS    lines "VISITOR URL", with repeats; the site is the page
#include <bloomline/bloom_filter.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "example.h"

namespace {

using example::Require;

constexpr double kRate = 0.001;

struct Visit {
  std::string visitor, page;
};

class DayCounter {
 public:
  explicit DayCounter(size_t capacity) {
    bloomline::BloomFilterOptions options;
    options.capacity = capacity;
    options.false_positive_rate = kRate;
    std::string error;
    visits_ = bloomline::BloomFilter::Create(options, &error);
    Require(visits_ != nullptr, "there is a filter: " + error);
  }

  void Count(const Visit& visit) {
    // No part may contain the separator: two different visits must have different keys.
    if (visits_->AddKey(visit.page + '\n' + visit.visitor)) ++num_visitors[visit.page];
  }

  std::map<std::string, size_t> num_visitors;
  bloomline::BloomFilter* visits() { return visits_.get(); }

 private:
  std::unique_ptr<bloomline::BloomFilter> visits_;
};

std::string SiteOf(const std::string& url) {
  const size_t begin = url.find("://") + 3;
  return url.substr(begin, url.find('/', begin) - begin);
}

// The relative standard error of the estimate is below 2 / sqrt(num_bits). Allows six of these.
void RequireNear(uint64_t estimate, size_t exact, const bloomline::BloomFilter& filter) {
  const double error = std::abs(static_cast<double>(estimate) / static_cast<double>(exact) - 1);
  std::printf("exact %zu, estimated from the bits %llu (%.2f %% off)\n", exact,
              static_cast<unsigned long long>(estimate), 100 * error);
  Require(error <= 12 / std::sqrt(static_cast<double>(filter.num_bits())), "the estimate is near");
}

}  // namespace

int main(int argc, char** argv) {
  example::RequireUsage(argc == 2, "distinct_visitors CITATIONS");
  std::vector<Visit> visits;
  for (const std::string& line : example::ReadLines(argv[1])) {
    const size_t space = line.rfind(' ');
    visits.push_back({line.substr(0, space), SiteOf(line.substr(space + 1))});
  }

  // Every other visit is on the second day.
  std::map<std::string, std::set<std::string>> exact[2];
  std::set<std::pair<std::string, std::string>> exact_both;
  for (size_t i = 0; i < visits.size(); ++i) {
    exact[i % 2][visits[i].page].insert(visits[i].visitor);
    exact_both.insert({visits[i].page, visits[i].visitor});
  }

  // Sized for both days together: filters of different sizes cannot be merged.
  DayCounter days[] = {DayCounter(exact_both.size()), DayCounter(exact_both.size())};
  for (size_t i = 0; i < visits.size(); ++i) days[i % 2].Count(visits[i]);

  for (const int day : {0, 1}) {
    size_t num_counted = 0;
    size_t num_exact = 0;
    for (const auto& [page, visitors] : exact[day]) {
      const size_t counted = days[day].num_visitors[page];
      Require(counted <= visitors.size(), "no visitor is counted twice: " + page);
      num_counted += counted;
      num_exact += visitors.size();
    }
    std::printf("day %d: %zu pages, %zu visitors counted; ", day + 1, exact[day].size(),
                num_counted);
    RequireNear(days[day].visits()->EstimatedNumKeys(), num_exact, *days[day].visits());
    Require(example::RateHolds(num_exact - num_counted, num_exact, kRate),
            "at most 0.1 % are not counted");
  }

  std::string error;
  Require(days[0].visits()->Merge(*days[1].visits(), &error), "days can be merged: " + error);
  std::printf("both days: ");
  RequireNear(days[0].visits()->EstimatedNumKeys(), exact_both.size(), *days[0].visits());
  return 0;
}
