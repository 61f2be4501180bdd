// Command lines of rewrite and the matrix of engines.
#ifndef BLOOMLINE_TESTS_FAULTS_ARGUMENTS_H_
#define BLOOMLINE_TESTS_FAULTS_ARGUMENTS_H_

#include <cstdint>
#include <string>

namespace bloomline::tests {

// A wrong argument ends the program with the reason, the usage and status 2; -h with the usage and
// status 0.
class Arguments {
 public:
  Arguments(const char* program, const char* usage, int argc, char** argv);

  bool Next(std::string* argument);

  // The value of the argument that Next returned.
  std::string Text();
  uint64_t Number(uint64_t min, uint64_t max);

  [[noreturn]] void Refuse(const std::string& what);

 private:
  const char* const program_;
  const char* const usage_;
  const int argc_;
  char** const argv_;
  int next_ = 1;
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_FAULTS_ARGUMENTS_H_
