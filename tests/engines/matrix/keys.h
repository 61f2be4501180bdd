// The keys of a cell, their prefixes, and what the database must say about each: the model.
#ifndef BLOOMLINE_TESTS_ENGINES_MATRIX_KEYS_H_
#define BLOOMLINE_TESTS_ENGINES_MATRIX_KEYS_H_

#include <rocksdb/comparator.h>
#include <rocksdb/slice_transform.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/engines/matrix/cell.h"

namespace bloomline::matrix {

// SplitMix64: its numbers are the same everywhere, so a seed repeats a run.
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

constexpr size_t kPrefixBytes = 4;

// The extractor with which the database is first opened, and the one from the reopening on. Null
// for none.
std::shared_ptr<const rocksdb::SliceTransform> FirstExtractor(Prefix prefix);
std::shared_ptr<const rocksdb::SliceTransform> LaterExtractor(Prefix prefix);

const rocksdb::Comparator* ComparatorOf(KeySet keys);

// Keys that may be written and keys that never are, about n in all, in the database's order. Some
// prefixes have only keys of the second kind.
struct Universe {
  Universe(KeySet keys, size_t n, Random* random);

  std::vector<std::string> keys;
  std::vector<bool> is_writable;
  std::vector<size_t> missing_prefixes;  // places of keys whose prefix no written key has
};

// The number of the write that gave a key its value; 0: the key is not there.
using Version = uint64_t;

// The versions of a universe's keys at one moment.
class Model {
 public:
  explicit Model(const Universe& universe) : versions_(universe.keys.size()) {}

  Version version(size_t i) const { return versions_[i]; }
  void Set(size_t i, Version version) { versions_[i] = version; }
  // The places of the keys that are there, in order.
  std::vector<size_t> Present() const;

 private:
  std::vector<Version> versions_;
};

std::string ValueOf(Version version);
bool IsValueOf(Version version, std::string_view value);

// As readable text without spaces.
std::string Printable(std::string_view key);

}  // namespace bloomline::matrix

#endif  // BLOOMLINE_TESTS_ENGINES_MATRIX_KEYS_H_
