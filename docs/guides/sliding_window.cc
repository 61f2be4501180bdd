// Forwards a request once, and not again until 10,000 others were forwarded.
// Usage: sliding_window URLS
#include <bloomline/bloom_filter.h>
#include <bloomline/counting_bloom_filter.h>

#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "example.h"

namespace {

using example::Require;

constexpr size_t kWindow = 10000;
constexpr double kRate = 0.01;

class Window {
 public:
  Window() {
    bloomline::CountingBloomFilterOptions options;
    options.capacity = kWindow + 1;
    options.false_positive_rate = kRate;
    std::string error;
    filter_ = bloomline::CountingBloomFilter::Create(options, &error);
    Require(filter_ != nullptr, "there is a filter: " + error);
  }

  // True if the request is to be forwarded: it was not in the window. Now it is.
  bool Enter(const std::string& request) {
    const uint64_t hash = filter_->HashOf(request);
    if (filter_->MayMatchHash(hash)) return false;  // each key is in once
    filter_->AddHash(hash);
    entered_.push_back(hash);
    if (entered_.size() > kWindow) Leave();
    return true;
  }

  // Removes the oldest key. It was added: the window keeps the hashes of its keys, 8 bytes each.
  void Leave() {
    Require(filter_->RemoveHash(entered_.front()), "a key that was added can be removed");
    entered_.pop_front();
  }

  size_t size() const { return entered_.size(); }
  const bloomline::CountingBloomFilter& filter() const { return *filter_; }

 private:
  std::unique_ptr<bloomline::CountingBloomFilter> filter_;
  std::deque<uint64_t> entered_;
};

// The same window with the requests themselves: reference for the checks.
struct ExactWindow {
  void Enter(const std::string& request) {
    Require(requests.insert(request).second, "no request is forwarded twice: " + request);
    order.push_back(request);
    if (order.size() > kWindow) {
      requests.erase(order.front());
      order.pop_front();
    }
  }

  std::unordered_set<std::string> requests;
  std::deque<std::string> order;
};

}  // namespace

int main(int argc, char** argv) {
  example::RequireUsage(argc == 2, "sliding_window URLS");
  const std::vector<std::string> requests = example::ReadLines(argv[1]);
  Window window;
  ExactWindow exact;
  size_t num_passed_on = 0;
  size_t num_false_positives = 0;
  for (const std::string& request : requests) {
    const bool is_new = exact.requests.count(request) == 0;
    if (window.Enter(request)) {
      ++num_passed_on;
      exact.Enter(request);
    } else {
      num_false_positives += is_new;
    }
  }
  std::printf("%zu requests, %zu forwarded, %zu false positives (%.2f %% of the new)\n",
              requests.size(), num_passed_on, num_false_positives,
              example::Percent(num_false_positives, num_passed_on + num_false_positives));
  Require(example::RateHolds(num_false_positives, num_passed_on + num_false_positives, kRate),
          "the false-positive rate is at most 1 %");

  // A process that only queries gets a copy: same answers, a quarter of the memory.
  std::string error;
  const auto copy = window.filter().ToBloomFilter(&error);
  Require(copy != nullptr, "there is a copy: " + error);
  for (const std::string& request : requests) {
    Require(copy->MayMatch(request) == window.filter().MayMatch(request), "same answer");
  }
  std::printf("counters of %llu bytes, copy of %llu\n",
              static_cast<unsigned long long>(window.filter().num_counters() / 2),
              static_cast<unsigned long long>(copy->num_bits() / 8));

  Require(window.filter().num_saturated_counters() == 0, "no counter is saturated");
  while (window.size() > 0) window.Leave();
  for (const std::string& request : requests) {
    Require(!window.filter().MayMatch(request), "a removed key does not match: " + request);
  }
  return 0;
}
