// Lines on stderr about errors that an engine may drop on their way to its caller.
#ifndef BLOOMLINE_SUPPORT_TAKEN_ERRORS_H_
#define BLOOMLINE_SUPPORT_TAKEN_ERRORS_H_

#include <cstdio>
#include <string>

namespace bloomline::support {

// While one exists, its thread's errors of this kind are not printed: its owner, which called the
// engine, reports them, so that users do not read them twice.
class TakenErrors {
 public:
  TakenErrors() : outer_(innermost_) { innermost_ = this; }
  ~TakenErrors() { innermost_ = outer_; }
  TakenErrors(const TakenErrors&) = delete;
  TakenErrors& operator=(const TakenErrors&) = delete;

  // Returns the first error, or an empty string.
  const std::string& first() const { return first_; }

  // Prints "bloomline: " and the text, unless an owner takes it.
  static void Print(const std::string& text) {
    if (innermost_ == nullptr) {
      std::fprintf(stderr, "bloomline: %s\n", text.c_str());
    } else if (innermost_->first_.empty()) {
      innermost_->first_ = text;
    }
  }

 private:
  inline static thread_local TakenErrors* innermost_ = nullptr;

  TakenErrors* const outer_;
  std::string first_;
};

}  // namespace bloomline::support

#endif  // BLOOMLINE_SUPPORT_TAKEN_ERRORS_H_
