// Tests of what a process has only once.
#ifndef BLOOMLINE_TESTS_SUPPORT_OWN_PROCESS_H_
#define BLOOMLINE_TESTS_SUPPORT_OWN_PROCESS_H_

#include <gtest/gtest.h>

#include <cstdlib>

namespace bloomline::tests {

// Runs body(), the whole of a test, in a process in which no other test ran.
template <typename Body>
void InOwnProcess(Body body) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        body();
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_OWN_PROCESS_H_
