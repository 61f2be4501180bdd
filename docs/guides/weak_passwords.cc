// Refuses the passwords of a list: a Ribbon filter in memory, the list itself on disk.
// Usage: weak_passwords PASSWORDS WORDS    PASSWORDS sorted by bytes
#include <bloomline/filter.h>
#include <bloomline/sizing.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "example.h"

namespace {

using example::Require;

constexpr double kRate = 0.001;

// A file of lines in byte order. Each step of the binary search reads from the file.
class SortedFile {
 public:
  explicit SortedFile(const std::string& path) : file_(path, std::ios::binary | std::ios::ate) {
    size_ = file_.tellg();
    Require(file_.good() && size_ > 0, "the list can be read: " + path);
  }

  bool Contains(const std::string& wanted) {
    std::streamoff low = 0;  // the line, if present, begins in [low, high)
    std::streamoff high = size_;
    std::string line;
    while (low < high) {
      const std::streamoff middle = low + (high - low) / 2;
      file_.clear();
      file_.seekg(middle == 0 ? 0 : middle - 1);
      if (middle != 0) std::getline(file_, line);  // skips to the start of the next line
      const std::streamoff begin = file_.tellg();
      if (begin < 0 || begin >= high || !std::getline(file_, line) || wanted < line) {
        high = middle;
      } else if (line < wanted) {
        low = begin + static_cast<std::streamoff>(line.size()) + 1;
      } else {
        return true;
      }
    }
    return false;
  }

 private:
  std::ifstream file_;
  std::streamoff size_ = 0;
};

class WeakPasswords {
 public:
  WeakPasswords(std::string filter_bytes, const std::string& list_path)
      : filter_bytes_(std::move(filter_bytes)),
        filter_(bloomline::FilterView::Open(filter_bytes_)),
        list_(list_path) {}
  WeakPasswords(const WeakPasswords&) = delete;  // the view points into filter_bytes_
  WeakPasswords& operator=(const WeakPasswords&) = delete;

  bool Contains(const std::string& password) {
    if (!filter_.MayMatch(password)) return false;  // certainly not in the list
    ++num_searches;
    return list_.Contains(password);
  }

  size_t num_searches = 0;
  size_t filter_bytes() const { return filter_bytes_.size(); }

 private:
  std::string filter_bytes_;
  bloomline::FilterView filter_;
  SortedFile list_;
};

std::string FilterOf(const std::vector<std::string>& passwords) {
  const auto options =
      bloomline::FilterOptions::ForFalsePositiveRate(bloomline::Format::kRibbon, kRate);
  bloomline::FilterBuilder builder(options);
  for (const std::string& password : passwords) builder.AddKey(password);
  std::printf("%zu passwords, %.2f bits per key; %.2f in the format kBlocked\n", passwords.size(),
              options.bits_per_key,
              bloomline::BitsPerKeyForFalsePositiveRate(bloomline::Format::kBlocked, kRate));
  const std::string bytes = builder.Finish();
  Require(builder.error().empty(), "the filter is built: " + builder.error());
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  example::RequireUsage(argc == 3, "weak_passwords PASSWORDS WORDS");
  const std::vector<std::string> passwords = example::ReadLines(argv[1]);
  Require(std::is_sorted(passwords.begin(), passwords.end()), "the list is sorted");
  WeakPasswords weak(FilterOf(passwords), argv[1]);

  for (const std::string& password : passwords) {
    Require(weak.Contains(password), "a weak password is refused: " + password);
  }

  weak.num_searches = 0;
  size_t num_good = 0;
  size_t num_weak = 0;
  for (const std::string& word : example::ReadLines(argv[2])) {
    // How people extend a word if a digit is required.
    for (const std::string& password : {word + "1", word + "12", word + "123", word + "2026!"}) {
      const bool is_weak = std::binary_search(passwords.begin(), passwords.end(), password);
      Require(weak.Contains(password) == is_weak, "every decision is right: " + password);
      ++(is_weak ? num_weak : num_good);
    }
  }
  const size_t num_false_positives = weak.num_searches - num_weak;
  std::printf("filter of %zu bytes; %zu weak passwords refused, %zu others accepted\n",
              weak.filter_bytes(), num_weak, num_good);
  std::printf("%zu searches on disk for the accepted ones (%.3f %%)\n", num_false_positives,
              example::Percent(num_false_positives, num_good));
  Require(example::RateHolds(num_false_positives, num_good, kRate),
          "the false-positive rate is at most 0.1 %");
  return 0;
}
