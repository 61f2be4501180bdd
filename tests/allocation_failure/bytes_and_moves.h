// What all filters in memory have: saving to bytes, and moves.
#ifndef BLOOMLINE_TESTS_ALLOCATION_FAILURE_BYTES_AND_MOVES_H_
#define BLOOMLINE_TESTS_ALLOCATION_FAILURE_BYTES_AND_MOVES_H_

#include <memory>
#include <string>
#include <utility>

#include "tests/allocation_failure/attempts.h"

namespace bloomline::tests {

// check_keys(filter) checks that all keys of `filter` are in.
template <typename Filter, typename CheckKeys>
void IsSavedToBytesAndReadBackOrNot(Functions to_bytes, Functions from_bytes, const Filter& filter,
                                    CheckKeys check_keys) {
  std::string expected;
  ASSERT_TRUE(filter.ToBytes(&expected, nullptr));
  FailEachAllocation(to_bytes, [&](Attempt* attempt) {
    std::string bytes = "old";
    std::string error = Attempt::kUntouched;
    bool saved = false;
    attempt->Call([&] { saved = filter.ToBytes(&bytes, &error); });
    attempt->CheckOutcome(saved, error);
    EXPECT_EQ(bytes, saved ? expected : "old");
  });
  FailEachAllocation(from_bytes, [&](Attempt* attempt) {
    std::unique_ptr<Filter> read;
    std::string error = Attempt::kUntouched;
    attempt->Call([&] { read = Filter::FromBytes(expected, &error); });
    attempt->CheckOutcome(read != nullptr, error);
    if (read != nullptr) check_keys(*read);
  });
  std::string damaged = expected;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  for (const std::string& wrong : {damaged, expected + "more", expected.substr(0, 70)}) {
    FailEachAllocation(from_bytes, [&](Attempt* attempt) {
      std::unique_ptr<Filter> read;
      std::string error = Attempt::kUntouched;
      attempt->Call([&] { read = Filter::FromBytes(wrong, &error); });
      attempt->CheckRefusal(read != nullptr, error);
    });
  }
}

// `functions` are the move constructor and assignment.
template <typename Filter>
void MovesNeedNoMemory(Functions functions, Filter* filter) {
  ExpectNoAllocation(functions, [&] {
    Filter moved(std::move(*filter));
    *filter = std::move(moved);
  });
}

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_ALLOCATION_FAILURE_BYTES_AND_MOVES_H_
