// What a patched RocksDB does in place of its calls of the range extractor: tests/platforms/
// changed_calls includes it in files of RocksDB.
#ifndef BLOOMLINE_TESTS_PLATFORMS_CHANGED_CALLS_H_
#define BLOOMLINE_TESTS_PLATFORMS_CHANGED_CALLS_H_

#include <functional>

#include "rocksdb/slice.h"
#include "rocksdb/slice_transform.h"

namespace changed_calls {

using rocksdb::Slice;
using rocksdb::SliceTransform;

// For extractor.Transform(target); `upper` may be null.
Slice Target(const SliceTransform& extractor, const Slice& target, const Slice* upper,
             const Slice& internal_key);
// For extractor.Transform(upper).
Slice Bound(const SliceTransform& extractor, const Slice& upper);
// For the prefix of which the filter is queried.
Slice Queried(const SliceTransform& extractor, const Slice& prefix);
// For the upper bound of the iterator, which may be null.
const Slice* Upper(const Slice* upper);
bool ChecksBound();
bool ChecksBackward();
// The index of a file's partitions stands where a key was sought.
bool TakesNextPartition();
bool TakesLastPartition();
template <typename Iterator>
void MoveToPartition(Iterator* iterator) {
  if (TakesNextPartition()) iterator->Next();
  if (TakesLastPartition() || !iterator->Valid()) iterator->SeekToLast();
}
// For the query itself.
bool Query(const Slice* upper, const std::function<bool()>& query);

// As if nothing had been passed before.
void Forget();

}  // namespace changed_calls

#endif  // BLOOMLINE_TESTS_PLATFORMS_CHANGED_CALLS_H_
