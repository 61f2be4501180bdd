// A locale whose numbers are written "1.234,5".
#ifndef BLOOMLINE_TESTS_SUPPORT_COMMA_LOCALE_H_
#define BLOOMLINE_TESTS_SUPPORT_COMMA_LOCALE_H_

#include <locale>
#include <string>

namespace bloomline::tests {

// While it lives, new streams follow it. Do not use with other threads.
class CommaStreams {
 public:
  CommaStreams() : before_(std::locale::global(std::locale(std::locale(), new Punctuation))) {}
  ~CommaStreams() { std::locale::global(before_); }

 private:
  class Punctuation : public std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };

  const std::locale before_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_COMMA_LOCALE_H_
