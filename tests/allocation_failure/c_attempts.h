// Shared by the tests of c.h.
#ifndef BLOOMLINE_TESTS_ALLOCATION_FAILURE_C_ATTEMPTS_H_
#define BLOOMLINE_TESTS_ALLOCATION_FAILURE_C_ATTEMPTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bloomline/c.h"
#include "tests/allocation_failure/attempts.h"
#include "tests/support/temp_dir.h"

namespace bloomline::tests {

constexpr size_t kCKeys = 300;

struct CKeys {
  std::vector<std::string> stored = MakeKeys(kCKeys);
  std::vector<const char*> keys;
  std::vector<size_t> lengths;
  uint8_t answers[kCKeys];

  CKeys() {
    for (const std::string& key : stored) {
      keys.push_back(key.data());
      lengths.push_back(key.size());
    }
  }
};

// The errptr of a call.
class CError {
 public:
  ~CError() { bloomline_free(text_); }
  char** out() { return &text_; }
  // Convention 3 of c.h: without memory for the message there is none.
  void Check(const Attempt& attempt, bool succeeded) const {
    EXPECT_TRUE(succeeded || attempt.HasFailed()) << (text_ == nullptr ? "?" : text_);
    if (succeeded) {
      EXPECT_EQ(text_, nullptr);
    }
    CheckText(attempt, succeeded);
  }
  void CheckRefusal(const Attempt& attempt, bool succeeded) const {
    EXPECT_FALSE(succeeded);
    CheckText(attempt, succeeded);
  }

 private:
  void CheckText(const Attempt& attempt, bool succeeded) const {
    if (!succeeded && !attempt.HasFailed()) {
      EXPECT_NE(text_, nullptr);
    }
  }
  char* text_ = nullptr;
};

class CTest : public testing::Test {
 protected:
  CKeys k_;
  const TempDir dir_;
  const std::string path_ = dir_.Path("a file whose name needs memory");
};

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ALLOCATION_FAILURE_C_ATTEMPTS_H_
