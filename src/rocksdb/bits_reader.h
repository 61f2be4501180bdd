// RocksDB's view of a FilterView.
#ifndef BLOOMLINE_ROCKSDB_BITS_READER_H_
#define BLOOMLINE_ROCKSDB_BITS_READER_H_

#include "bloomline/filter.h"
#include "src/rocksdb/filter_bits_abi.h"

namespace bloomline {

// Points only at the filter's bytes: in RocksDB's block cache a reader can outlive its policy.
class RocksDBBitsReader : public ROCKSDB_NAMESPACE::FilterBitsReader {
 public:
  explicit RocksDBBitsReader(const FilterView& view) : view_(view) {}

  bool MayMatch(const ROCKSDB_NAMESPACE::Slice& entry) override;
  void MayMatch(int num_keys, ROCKSDB_NAMESPACE::Slice** keys, bool* may_match) override;

 private:
  const FilterView view_;
};

}  // namespace bloomline

#endif  // BLOOMLINE_ROCKSDB_BITS_READER_H_
