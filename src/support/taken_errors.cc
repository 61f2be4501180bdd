#include "src/support/taken_errors.h"

#include <cstdio>

namespace bloomline::support {
namespace {

thread_local TakenErrors* innermost = nullptr;

}  // namespace

TakenErrors::TakenErrors() : outer_(innermost) { innermost = this; }

TakenErrors::~TakenErrors() { innermost = outer_; }

void TakenErrors::Print(const std::string& text) {
  if (innermost == nullptr) {
    std::fprintf(stderr, "bloomline: %s\n", text.c_str());
  } else if (innermost->first_.empty()) {
    innermost->first_ = text;
  }
}

}  // namespace bloomline::support
