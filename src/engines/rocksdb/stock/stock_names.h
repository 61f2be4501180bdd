// The names under which RocksDB makes its own policies from text: "bloomfilter:10" and others.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_NAMES_H_
#define BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_NAMES_H_

#include <memory>

#include "src/engines/rocksdb/builder/filter_bits_abi.h"

namespace bloomline::engine {

enum class StockKind { kBloom, kRibbon, kReader };

constexpr char kStockReaderName[] = "rocksdb.BuiltinBloomFilter";  // of kReader

// What a text names. RocksDB's policy of the kind kReader only queries filters.
struct StockName {
  StockKind kind;
  double bits_per_key = 0;
  int bloom_before_level = 0;  // of kRibbon
};

using MakeNamedPolicy = std::unique_ptr<const FilterPolicy> (*)(const StockName& name);

// From now on, `make` makes the policies of option strings and OPTIONS files that have these names.
// RocksDB asks the library of objects that was added last, and its own are in the first. Also
// bloomline's calls of StockPolicyNamed reach `make` (StockPolicyScope).
// "rocksdb.BuiltinBloomFilter" does so only as an id in braces: RocksDB compares the bare name
// itself.
void MakeStockNamesWith(MakeNamedPolicy make);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_STOCK_STOCK_NAMES_H_
