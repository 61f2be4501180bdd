// RocksDBFilterOptions::memory_bytes: the most bits per key that the filter of a file may have.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_LIMITED_MEMORY_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_LIMITED_MEMORY_H_

#include <cstdint>

#include "bloomline/filter_account.h"
#include "bloomline/filter_options.h"
#include "rocksdb/options.h"
#include "src/engines/rocksdb/budget/file_account.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"
#include "src/filter/metrics/filter_counts.h"

namespace bloomline::engine {

// The limit of a policy, and what it means for the bits of its filters.
struct MemoryLimit {
  uint64_t bytes = 0;  // 0: no limit
  Format format = Format::kBlocked;
  double bits_per_key = 0;                 // without the limit; 0: the policy writes no filters
  bool fills_bottom = true;                // files at the bottom get filters
  filter::FilterCounts* counts = nullptr;  // of the policy
};

// Whether an SstFileWriter writes the file: nothing counts the filters beside it.
bool HasNoDatabase(const FilterBuildingContext& context);

// Returns the most bits per key that a limit of more than 0 bytes leaves the file of the context.
// `account` is that of the file's creation. Without one, the file gets limit.bits_per_key, and the
// database's log gets a line. A file without a database gets these bits, too.
double MostBitsPerKey(const MemoryLimit& limit, FileAccount* account,
                      const FilterBuildingContext& context);

// Refuses limited memory for a database without a FilterAccount, because nothing would limit it.
Status CheckAccount(uint64_t memory_bytes, const ROCKSDB_NAMESPACE::DBOptions& database);

// Returns how many bits of memory per key new files get, from 0 to max_bits, so that the filters of
// all files take memory_bytes.
//
// With n live keys, filters of memory_bytes have b(n) = 8 * memory_bytes / n bits per key. But a
// file keeps the bits that it was written with, when there were fewer keys: while a database grows,
// its files have more than b(n). If each file gets b(n) / w, with n at the time it is written, all
// files together have b(n) if w is the mean of n / n', over the keys, where n' is the n of each
// file. So w is how much the database has grown during the life of its files, and 1 if it does not
// grow. It is taken as 1 / kMaxGrowth to kMaxGrowth: files that are never rewritten (keys in order)
// say nothing about the life of others.
//
// This is a forecast, and so it does not swing. Lowering the bits by e, the share by which files
// exceed b(n), did: e shows only once the files exist, so new files got far fewer bits than old
// ones, which wastes reads (docs/rejected.md). Only if e exceeds kTolerance, because compactions
// lag behind or files are never rewritten, do bits fall with it, by kBrake.
//
// For files that existed before the account, n' is unknown. By their share, bits are lowered by e +
// kMargin: a database that was opened anew after each 5 % of its growth then exceeded the memory by
// 3 %, and by 8 % with the forecast alone.
//
// Only settled files count for e and w: files that are being compacted get new filters anyway.
constexpr double kMaxGrowth = 1.2;
constexpr double kTolerance = 0.1;
constexpr double kBrake = 5;
constexpr double kMargin = 0.06;
double BitsWithin(uint64_t memory_bytes, double max_bits, const FileSums& sums);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_LIMITED_MEMORY_H_
