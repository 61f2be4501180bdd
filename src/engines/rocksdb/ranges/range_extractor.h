// How a filter of RocksDB learns which range of keys an iterator looks for.
//
// With ReadOptions::auto_prefix_mode and iterate_upper_bound, RocksDB calls in one thread, for each
// table and Seek (read in 7.8 and 9.10: FilterBlockReaderCommon::RangeMayExist):
//
//   prefix = extractor->Transform(key to seek)
//   extractor->Transform(upper bound)               which must give the same prefix
//   filter->MayMatch(prefix)
//
// All prefixes of this extractor are empty, so they are the same. But each begins at an address of
// its own, by which the filter knows the two last calls. Any other sequence of calls means "may
// match". Empty prefixes change nothing else: all keys have the same one.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_EXTRACTOR_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_EXTRACTOR_H_

#include <memory>
#include <string_view>

#include "rocksdb/slice.h"
#include "rocksdb/slice_transform.h"

namespace bloomline {

constexpr char kRangeExtractorName[] = "bloomline.ranges";

// Longer bounds are not kept: such ranges may match.
constexpr size_t kMaxBoundBytes = 256;

std::unique_ptr<const ROCKSDB_NAMESPACE::SliceTransform> MakeRangeExtractor();

// Whether `prefix` is what the extractor returned for the last but one key in this thread. Then
// *begin is that key, and *end the last one. They are valid until this thread calls it again.
bool LastRange(const ROCKSDB_NAMESPACE::Slice& prefix, std::string_view* begin,
               std::string_view* end);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_EXTRACTOR_H_
