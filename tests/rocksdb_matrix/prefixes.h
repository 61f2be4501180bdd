// The prefix extractors of a cell.
#ifndef BLOOMLINE_TESTS_ROCKSDB_MATRIX_PREFIXES_H_
#define BLOOMLINE_TESTS_ROCKSDB_MATRIX_PREFIXES_H_

#include <rocksdb/slice_transform.h>

#include <memory>

#include "tests/rocksdb_matrix/cell.h"

namespace bloomline::matrix {

constexpr size_t kPrefixBytes = 4;

// The extractor with which the database is first opened, and the one from the reopening on. Null
// for none.
std::shared_ptr<const rocksdb::SliceTransform> FirstExtractor(Prefix prefix);
std::shared_ptr<const rocksdb::SliceTransform> LaterExtractor(Prefix prefix);

}  // namespace bloomline::matrix

#endif  // BLOOMLINE_TESTS_ROCKSDB_MATRIX_PREFIXES_H_
