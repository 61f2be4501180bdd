// What a database must answer while it is written: the last acknowledged version of each key.
#ifndef BLOOMLINE_TESTS_SOAK_TRUTH_H_
#define BLOOMLINE_TESTS_SOAK_TRUTH_H_

#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace bloomline::soak {

// Keys are numbered. 20 in a row are posts of one user, and two users of five have none, ever.
constexpr uint64_t kPosts = 20;
constexpr uint64_t kUsers = 40000;
constexpr uint64_t kKeys = kUsers * kPosts;
constexpr bool HasPosts(uint64_t user) { return user % 5 > 1; }

inline std::string User(uint64_t user, char end) {
  char text[32];
  std::snprintf(text, sizeof(text), "user:%06" PRIu64 ":post%c", user, end);
  return text;
}
inline std::string Key(uint64_t i) {
  char text[16];
  std::snprintf(text, sizeof(text), "%02" PRIu64, i % kPosts);
  return User(i / kPosts, ':') + text;
}
inline std::string Value(uint64_t i, uint64_t version) {
  return std::to_string(i) + " " + std::to_string(version) + " " +
         std::string(40 + version % 64, 'v');
}

// What a key is between two writes. Versions are never used again, so equal states mean that the
// key was not written in between.
struct State {
  uint64_t version = 0;
  bool is_missing = true;
  bool operator==(const State& other) const {
    return version == other.version && is_missing == other.is_missing;
  }
};

// Each key has one writer at a time. Everything is thread-safe.
class Truth {
 public:
  Truth() : states_(kKeys) {
    for (auto& state : states_) state.store(kMissingBit, std::memory_order_relaxed);
  }

  // False while key i is being written, and after a write that failed: the database may have done
  // it or not.
  bool IsKnown(uint64_t i, State* state) const {
    const uint64_t word = states_[i].load(std::memory_order_acquire);
    *state = {word >> 2, (word & kMissingBit) != 0};
    return (word & kWritingBit) == 0;
  }

  void Begin(uint64_t i) { states_[i].fetch_or(kWritingBit, std::memory_order_acq_rel); }
  // Not called for a write that failed.
  void End(uint64_t i, const State& state) {
    states_[i].store(state.version << 2 | (state.is_missing ? kMissingBit : 0),
                     std::memory_order_release);
  }
  uint64_t NextVersion() { return 1 + versions_.fetch_add(1, std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kWritingBit = 1;
  static constexpr uint64_t kMissingBit = 2;

  std::vector<std::atomic<uint64_t>> states_;
  std::atomic<uint64_t> versions_{0};
};

}  // namespace bloomline::soak

#endif  // BLOOMLINE_TESTS_SOAK_TRUTH_H_
