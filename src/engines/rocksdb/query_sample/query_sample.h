// Keys that the filters of a policy were queried for: RocksDBFilterOptions::sample_queries.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_QUERY_SAMPLE_QUERY_SAMPLE_H_
#define BLOOMLINE_ENGINES_ROCKSDB_QUERY_SAMPLE_QUERY_SAMPLE_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "bloomline/version.h"
#include "src/engines/rocksdb/filter_bits_abi.h"

namespace bloomline {

// The newest keys, as many as fit. Thread-safe.
class QuerySample {
 public:
  // With what each key takes besides its bytes.
  static constexpr size_t kMaxBytes = size_t{4} << 20;
  // Longer keys are left out: a few of them would take the place of all others.
  static constexpr size_t kMaxKeyBytes = size_t{64} << 10;

  // Never waits: if another thread is adding a key or copying them, the key is left out, and so it
  // is out of memory.
  void Add(std::string_view key);

  // Returns a copy, the oldest key first. May throw bad_alloc.
  std::vector<std::string> Keys() const;

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> keys_;
  size_t bytes_ = 0;
};

// By this name, Configurable::GetOptions finds the QuerySample of a policy. Another version in the
// process may have another QuerySample.
constexpr char kQuerySampleName[] = "BloomlineQuerySample " BLOOMLINE_VERSION_STRING;

// Returns a reader that asks `reader` and adds one of `one_of` keys to the sample; `reader` itself
// if one_of is 0, or out of memory. Takes over `reader`, which may be null.
ROCKSDB_NAMESPACE::FilterBitsReader* WithSample(ROCKSDB_NAMESPACE::FilterBitsReader* reader,
                                                uint32_t one_of,
                                                const std::shared_ptr<QuerySample>& sample);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_QUERY_SAMPLE_QUERY_SAMPLE_H_
