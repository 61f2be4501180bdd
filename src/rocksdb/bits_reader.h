// What RocksDB asks about one filter.
#ifndef BLOOMLINE_ROCKSDB_BITS_READER_H_
#define BLOOMLINE_ROCKSDB_BITS_READER_H_

#include <string_view>

#include "src/rocksdb/filter_bits_abi.h"

namespace bloomline {

// A reader of filter bytes in the trailer container; any bytes are safe (docs/format.md, section
// 5). It points only at the bytes, which must outlive it: in RocksDB's block cache it can outlive
// its policy. Thread-safe. Null: out of memory.
ROCKSDB_NAMESPACE::FilterBitsReader* NewRocksDBBitsReader(std::string_view filter);

}  // namespace bloomline

#endif  // BLOOMLINE_ROCKSDB_BITS_READER_H_
