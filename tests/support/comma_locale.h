// Locales whose numbers are written "1.234,5", as set for the whole process.
#ifndef BLOOMLINE_TESTS_SUPPORT_COMMA_LOCALE_H_
#define BLOOMLINE_TESTS_SUPPORT_COMMA_LOCALE_H_

#include <locale>
#include <string>

#include "tests/support/temp_dir.h"

namespace bloomline::tests {

// Sets std::locale::global only, which streams follow. Always available. Do not use with other
// threads.
class CommaStreams {
 public:
  CommaStreams();
  ~CommaStreams();

 private:
  const std::locale before_;
};

// Also sets LC_NUMERIC, which printf and strtod follow: de_DE.UTF-8, which this object compiles
// with localedef. If that fails, nothing is set and `missing` has the reason.
class GermanLocale {
 public:
  GermanLocale();
  ~GermanLocale();
  const std::string& missing() const { return missing_; }

 private:
  const std::locale before_;
  const TempDir dir_;
  std::string missing_;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_COMMA_LOCALE_H_
