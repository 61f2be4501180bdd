// The bits of filters whose memory is limited.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_BUDGET_LIMITED_MEMORY_H_
#define BLOOMLINE_ENGINES_ROCKSDB_BUDGET_LIMITED_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "bloomline/version.h"
#include "rocksdb/options.h"
#include "src/engines/rocksdb/budget/file_account.h"
#include "src/engines/rocksdb/builder/filter_bits_abi.h"

namespace bloomline::engine {

// Configurable::GetOptions finds an account of this version by this name. The class name is not
// enough: a process may have two versions of bloomline.
constexpr char kOwnAccount[] = "BloomlineFilterAccount " BLOOMLINE_VERSION_STRING;

// Returns the number of FilterAccounts of this version among the listeners.
size_t CountOwnAccounts(const ROCKSDB_NAMESPACE::DBOptions& database);

// Refuses limited memory for a database without a FilterAccount, because nothing would limit it,
// and two FilterAccounts of this version: new files would be in one of them alone.
Status CheckAccount(uint64_t memory_bytes, const ROCKSDB_NAMESPACE::DBOptions& database);

// Returns how many bits of memory per key new files get, from 3 (or max_bits if that is less) to
// max_bits, so that the filters of all files take memory_bytes.
//
// With n live keys, filters of memory_bytes have b(n) = 8 * memory_bytes / n bits per key. But a
// file keeps the bits that it was written with, when there were fewer keys: while a database grows,
// its files have more than b(n). If each file gets b(n) / w, with n at the time it is written, all
// files together have b(n) if w is the mean of n / n', over the keys, where n' is the n of each
// file. So w is how much the database has grown during the life of its files, and 1 if it does not
// grow. It is taken as 1 / kMaxGrowth to kMaxGrowth: files that are never rewritten (keys in order)
// say nothing about the life of others.
//
// Only settled files count for w: files that are being compacted get new filters anyway.
constexpr double kMaxGrowth = 1.2;
double BitsWithin(uint64_t memory_bytes, double max_bits, const FileSums& sums);

// The part of these bits that a new file gets of the best division among the levels, even if older
// files take more than their part of the limit: without it, the files of level 0 would get next to
// nothing while compactions lag behind, and waste most reads (docs/rejected.md).
constexpr double kLeastPart = 0.85;

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_BUDGET_LIMITED_MEMORY_H_
