// Waits for what other threads or processes do, for as long as a busy machine may need.
#ifndef BLOOMLINE_TESTS_SUPPORT_WITHIN_SECONDS_H_
#define BLOOMLINE_TESTS_SUPPORT_WITHIN_SECONDS_H_

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace bloomline::tests {

template <typename F>  // bool()
::testing::AssertionResult Within30Seconds(F is_true) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!is_true()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return ::testing::AssertionFailure() << "not within 30 s";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return ::testing::AssertionSuccess();
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_WITHIN_SECONDS_H_
