// Format compact, which RocksDB's policies had before bloomline 0.4. Ribbon filters take its place:
// texts of options may still name it, and tables may still have its filters.
#ifndef BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_FORMER_COMPACT_H_
#define BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_FORMER_COMPACT_H_

#include <string>

#include "bloomline/rocksdb.h"
#include "src/engines/rocksdb/options/refusal.h"

namespace bloomline::engine {

// Replaces kCompact by kRibbon in options that were read from `texts`; the format before was
// `before`. Filters then take as much memory as those of compact, or less. Returns an empty string,
// or what is wrong with the bits, within the limits that compact had.
//
// If there is something to replace, sets *meaning: "bits_per_key=7.5, format=compact now means
// bits_per_key=10.63, format=ribbon".
std::string ReplaceCompact(const OptionMap& texts, Format before, RocksDBFilterOptions* options,
                           std::string* meaning);

// Returns a remark about the meaning, or an empty string if it is empty. stderr gets the first one
// of the process.
std::string CompactRemark(const std::string& meaning);

// Returns a remark about the first of the existing filters of this format. stderr gets it once in
// the process, because LOG is not at hand until the next table is written.
std::string FormerCompactRemark();

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_OPTIONS_FORMER_COMPACT_H_
