#include "tests/faults/arguments.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace bloomline::tests {

Arguments::Arguments(const char* program, const char* usage, int argc, char** argv)
    : program_(program), usage_(usage), argc_(argc), argv_(argv) {}

bool Arguments::Next(std::string* argument) {
  if (next_ == argc_) return false;
  *argument = argv_[next_++];
  if (*argument == "-h" || *argument == "--help") {
    std::fputs(usage_, stdout);
    std::exit(0);
  }
  return true;
}

std::string Arguments::Text() {
  if (next_ == argc_) Refuse(std::string(argv_[next_ - 1]) + " needs a value");
  return argv_[next_++];
}

uint64_t Arguments::Number(uint64_t min, uint64_t max) {
  const std::string name = argv_[next_ - 1];
  const std::string text = Text();
  char* end = nullptr;
  errno = 0;
  const unsigned long long number = std::strtoull(text.c_str(), &end, 10);
  const bool digits = text.find_first_not_of("0123456789") == text.npos && !text.empty();
  if (!digits || errno != 0 || number < min || number > max) {
    Refuse(name + " is '" + text + "'; allowed: " + std::to_string(min) + " to " +
           std::to_string(max));
  }
  return number;
}

void Arguments::Refuse(const std::string& what) {
  std::fprintf(stderr, "%s: %s\n%s", program_, what.c_str(), usage_);
  std::exit(2);
}

}  // namespace bloomline::tests
