// A filter of RocksDB learns here which range of keys an iterator looks for.
//
// For each table and Seek of an iterator with iterate_upper_bound, RocksDB calls in one thread
// (RangeMayExist of filter_block_reader_common.cc or full_filter_block.cc, in the versions of
// tested_versions.h):
//
//   prefix = extractor->Transform(key to seek)
//   extractor->Transform(upper bound)               which must give the same prefix
//   the filter block is read                        code of users may run here
//   filter->MayMatch(prefix)
//
// All prefixes of this extractor are empty, so they are equal. But each begins at a different
// address, its token, by which the filter recognises the last two calls of its thread. No token is
// given twice in a process: between the calls and the query, code of users (a listener, a cache, a
// file system) may scan other databases in this thread, and a fiber may continue in another thread.
// After any other sequence of calls the answer is "may match". The answer must never be a wrong
// "no": RocksDB 11.8 turns what a scan did not find into range tombstones that it writes
// (min_tombstones_for_range_conversion). Empty prefixes change nothing else.
//
// An iterator without auto_prefix_mode would call Transform once and then query the filter: a call
// of another caller in between would look like a bound. RocksDB also checks the bound if the table
// was written with another extractor, by the extractor's id in the table's properties. So this
// extractor's id is never the same twice: each iterator checks the bound, and one without a bound,
// or one that moves backward, queries no filter.
//
// We did not build a hint before SeekForPrev. RocksDB would query the filter only if this id were
// the table's, so without the check for all iterators. Inside SeekForPrev, RocksDB and code of
// users also Seek, at the same key. And a "no" saves a block in level 0 alone: in other levels,
// LevelIterator::SkipEmptyFileBackward then reads the last block of the file before.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_EXTRACTOR_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_EXTRACTOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "rocksdb/slice.h"
#include "rocksdb/slice_transform.h"

namespace bloomline::engine {

// Blocks of tokens. No token is in two blocks, and none is an address that memory of a program can
// have: an empty key of a user may begin anywhere. A thread takes a block for many calls, because
// threads would wait for one another at a counter of calls. Thread-safe.
class TokenBlocks {
 public:
  // On all CPUs with addresses of 64 bits, the addresses from here on belong to the kernel or do
  // not exist. With addresses of 32 bits there are no tokens, and all ranges may match.
  static constexpr uint64_t kFirst = uint64_t{1} << 63;
  static constexpr uint64_t kTokensPerBlock = 1 << 20;

  // `last`: no token is larger.
  constexpr explicit TokenBlocks(uint64_t last = UINTPTR_MAX)
      : num_blocks_(last < kFirst ? 0 : (last - kFirst) / kTokensPerBlock) {}

  // Returns the least token of a block; or 0 if none is left, which takes a program with a billion
  // calls in a second 290 years.
  uint64_t Take();

 private:
  const uint64_t num_blocks_;
  std::atomic<uint64_t> next_{0};
};

// Deleting the object leaves it usable, because RocksDB may continue to use it.
std::unique_ptr<const ROCKSDB_NAMESPACE::SliceTransform> MakeRangeExtractor();

// False if the system gave no random number: an id may then equal that of a table, whose bounds
// RocksDB does not check.
bool ExtractorIdsAreUnique();

// Whether `prefix` is what the extractor returned for the last key but one in this thread. Then
// *begin is that key, and *end the last one, valid until this thread calls it again. False if
// ranges are off (tested_versions.h).
bool LastRange(const ROCKSDB_NAMESPACE::Slice& prefix, std::string_view* begin,
               std::string_view* end);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_RANGE_EXTRACTOR_H_
