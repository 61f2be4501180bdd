// Tests of what all filters in memory have: saving to bytes and streams, and moves.
#ifndef BLOOMLINE_TESTS_ALLOCATION_FAILURE_BYTES_AND_MOVES_H_
#define BLOOMLINE_TESTS_ALLOCATION_FAILURE_BYTES_AND_MOVES_H_

#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "tests/allocation_failure/attempts.h"

namespace bloomline::tests {

// check_keys(filter) must check that all keys of `filter` match.
template <typename Filter, typename CheckKeys>
void ToBytesAndFromBytesSucceedOrReportTheError(Functions to_bytes, Functions from_bytes,
                                                const Filter& filter, CheckKeys check_keys) {
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

// The same of Save and Load with streams. The streams have their memory before.
template <typename Filter, typename CheckKeys>
void StreamsSucceedOrReportTheError(Functions save, Functions load, const Filter& filter,
                                    CheckKeys check_keys) {
  std::string bytes;
  ASSERT_TRUE(filter.ToBytes(&bytes, nullptr));
  FailEachAllocation(save, [&](Attempt* attempt) {
    std::stringstream stream(std::string(bytes.size(), '-'));
    std::string error = Attempt::kUntouched;
    bool saved = false;
    attempt->Call([&] { saved = filter.Save(&stream, &error); });
    attempt->CheckOutcome(saved, error);
    EXPECT_TRUE(!saved || stream.str() == bytes);
  });
  for (const std::string& content : {bytes, bytes.substr(0, 70)}) {
    const bool whole = content == bytes;
    FailEachAllocation(load, [&](Attempt* attempt) {
      std::stringstream stream(content);
      std::unique_ptr<Filter> read;
      std::string error = Attempt::kUntouched;
      attempt->Call([&] { read = Filter::Load(&stream, &error); });
      if (whole) {
        attempt->CheckOutcome(read != nullptr, error);
      } else {
        attempt->CheckRefusal(read != nullptr, error);
      }
      if (read != nullptr) check_keys(*read);
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
