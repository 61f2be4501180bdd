// Mistakes planted in a policy, which the matrix must find.
#ifndef BLOOMLINE_TESTS_ROCKSDB_MATRIX_DEFECTS_H_
#define BLOOMLINE_TESTS_ROCKSDB_MATRIX_DEFECTS_H_

#include <string>

#include "src/engines/rocksdb/filter_bits_abi.h"

namespace bloomline::matrix {

enum class Defect {
  kNone,
  kReader,     // a reader answers "no" to 1 of 1000 stored entries
  kBatch,      // a batched query answers "no" to the last of at least 32 entries
  kPrefix,     // a builder drops 1 of 8 prefixes
  kDuplicate,  // a builder remembers its last entry over partitions (facebook/rocksdb#4024)
};

// Returns false if there is no such defect; *error then says what is allowed.
bool ParseDefect(const std::string& name, Defect* defect, std::string* error);

// These own what they are given, and return it as it is if the defect is not theirs or it is null.
rocksdb::FilterBitsBuilder* WithDefect(rocksdb::FilterBitsBuilder* builder, Defect defect);
rocksdb::FilterBitsReader* WithDefect(rocksdb::FilterBitsReader* reader, Defect defect);

}  // namespace bloomline::matrix

#endif  // BLOOMLINE_TESTS_ROCKSDB_MATRIX_DEFECTS_H_
