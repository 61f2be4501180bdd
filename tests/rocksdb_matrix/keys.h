// The keys of a cell, and what the database must say about each: the model.
#ifndef BLOOMLINE_TESTS_ROCKSDB_MATRIX_KEYS_H_
#define BLOOMLINE_TESTS_ROCKSDB_MATRIX_KEYS_H_

#include <rocksdb/comparator.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/rocksdb_matrix/cell.h"
#include "tests/rocksdb_matrix/random.h"

namespace bloomline::matrix {

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

#endif  // BLOOMLINE_TESTS_ROCKSDB_MATRIX_KEYS_H_
