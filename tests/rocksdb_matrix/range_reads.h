// Iterators, compared with the model.
#ifndef BLOOMLINE_TESTS_ROCKSDB_MATRIX_RANGE_READS_H_
#define BLOOMLINE_TESTS_ROCKSDB_MATRIX_RANGE_READS_H_

#include <rocksdb/slice_transform.h>

#include "tests/rocksdb_matrix/point_reads.h"

namespace bloomline::matrix {

enum class Mode {
  kDefault,     // within the prefix of the key that is looked for
  kSamePrefix,  // prefix_same_as_start
  kTotalOrder,  // total_order_seek
  kAutoPrefix,  // auto_prefix_mode
};
constexpr Mode kAllModes[] = {Mode::kDefault, Mode::kSamePrefix, Mode::kTotalOrder,
                              Mode::kAutoPrefix};
const char* Name(Mode mode);

// Whether RocksDB takes iterators of this mode: prefix_same_as_start transforms every key that it
// comes to, also those outside the extractor's domain, for which extractors assert.
bool IsAllowed(Mode mode, const rocksdb::SliceTransform* extractor, const Universe& universe);

// Seek and SeekForPrev about `seeks` times, each followed by steps in its direction and one back;
// SeekToFirst and SeekToLast once with all steps. With upper bounds of several kinds and without.
// In prefix modes only keys of the prefix are compared: RocksDB says nothing about the others.
void ReadRanges(const View& view, const rocksdb::SliceTransform* extractor, Mode mode,
                uint64_t seeks, Random* random, Report* report);

}  // namespace bloomline::matrix

#endif  // BLOOMLINE_TESTS_ROCKSDB_MATRIX_RANGE_READS_H_
