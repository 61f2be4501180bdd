// A small generator whose numbers are the same everywhere: a seed repeats a run.
#ifndef BLOOMLINE_TESTS_ROCKSDB_MATRIX_RANDOM_H_
#define BLOOMLINE_TESTS_ROCKSDB_MATRIX_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bloomline::matrix {

// SplitMix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  Random(uint64_t seed, std::string_view name) : state_(seed) {
    for (const char c : name) state_ = Next() ^ static_cast<unsigned char>(c);
  }

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // 0 to n - 1.
  size_t Below(size_t n) { return static_cast<size_t>(((Next() >> 32) * n) >> 32); }
  // True once in n times.
  bool OneIn(size_t n) { return Below(n) == 0; }
  bool Percent(size_t percent) { return Below(100) < percent; }
  template <typename T, size_t kSize>
  const T& Of(const T (&values)[kSize]) {
    return values[Below(kSize)];
  }

 private:
  uint64_t state_;
};

}  // namespace bloomline::matrix

#endif  // BLOOMLINE_TESTS_ROCKSDB_MATRIX_RANDOM_H_
