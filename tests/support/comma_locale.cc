#include "tests/support/comma_locale.h"

#include <clocale>
#include <cstdlib>
#include <stdexcept>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace bloomline::tests {
namespace {

class CommaPunctuation : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

constexpr char kName[] = "de_DE.UTF-8";

}  // namespace

CommaStreams::CommaStreams()
    : before_(std::locale::global(std::locale(std::locale(), new CommaPunctuation))) {}

CommaStreams::~CommaStreams() { std::locale::global(before_); }

GermanLocale::GermanLocale() {
  const std::string command =
      "localedef -i de_DE -f UTF-8 '" + dir_.Path(kName) + "' >'" + dir_.Path("log") + "' 2>&1";
  if (std::system(command.c_str()) != 0) {
    missing_ = "localedef cannot compile de_DE; it is in Debian's packages libc-bin and locales";
    return;
  }
  setenv("LOCPATH", dir_.Path("").c_str(), 1);
#ifdef __SANITIZE_ADDRESS__
  const __lsan::ScopedDisabler glibc_leaks_the_list_it_makes_of_locpath;
#endif
  try {
    std::locale::global(std::locale(kName));
  } catch (const std::runtime_error& error) {
    missing_ = error.what();
  }
  unsetenv("LOCPATH");
}

GermanLocale::~GermanLocale() { std::locale::global(before_); }

}  // namespace bloomline::tests
