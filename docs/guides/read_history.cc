// A feed that shows each user no item twice: one small filter per user.
// Usage: read_history CITATIONS    lines "USER ITEM", with repeats
#include <bloomline/scalable_bloom_filter.h>
#include <bloomline/sizing.h>

#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "example.h"

namespace {

using example::Require;

constexpr double kRate = 0.01;

class History {
 public:
  History() {
    bloomline::ScalableBloomFilterOptions options;
    options.initial_capacity = 37;  // fits into 64 bytes, the smallest filter
    options.false_positive_rate = kRate;
    std::string error;
    shown_ = bloomline::ScalableBloomFilter::Create(options, &error);
    Require(shown_ != nullptr, "there is a filter: " + error);
  }

  // True if the item is to be shown. From now on it counts as shown.
  bool Show(const std::string& item) { return shown_->AddKey(item); }

  const bloomline::ScalableBloomFilter& filter() const { return *shown_; }

 private:
  std::unique_ptr<bloomline::ScalableBloomFilter> shown_;
};

}  // namespace

int main(int argc, char** argv) {
  example::RequireUsage(argc == 2, "read_history CITATIONS");
  std::unordered_map<std::string, History> histories;
  std::unordered_map<std::string, std::unordered_set<std::string>> exact;
  size_t num_offers = 0;
  size_t num_distinct = 0;
  size_t num_never_shown = 0;
  for (const std::string& line : example::ReadLines(argv[1])) {
    const std::string user = line.substr(0, line.rfind(' '));
    const std::string item = line.substr(user.size() + 1);
    const bool is_shown = histories[user].Show(item);
    const bool is_new = exact[user].insert(item).second;
    Require(is_new || !is_shown, "no item is shown twice: " + line);
    ++num_offers;
    num_distinct += is_new;
    num_never_shown += is_new && !is_shown;
  }

  size_t num_bytes = 0;
  size_t num_smallest = 0;
  for (const auto& [user, history] : histories) {
    num_bytes += history.filter().num_bits() / 8;
    num_smallest += history.filter().num_bits() == 512;
  }
  std::printf("%zu users, %zu offers, %zu new items, %zu of them never shown (%.2f %%)\n",
              histories.size(), num_offers, num_distinct, num_never_shown,
              example::Percent(num_never_shown, num_distinct));
  std::printf("%zu bytes of filters, %.1f bits per item; %zu users need only 64 bytes\n", num_bytes,
              8.0 * static_cast<double>(num_bytes) / static_cast<double>(num_distinct),
              num_smallest);
  const double bits_in_one =
      bloomline::BitsPerKeyForFalsePositiveRate(bloomline::Format::kBlocked, kRate);
  std::printf("one filter for all users and exactly these items: %.1f bits per item\n",
              bits_in_one);
  Require(example::RateHolds(num_never_shown, num_distinct, kRate),
          "the false-positive rate is at most 1 %");
  return 0;
}
