// The groups of formats, and which options each takes.
#ifndef BLOOMLINE_FILTER_OPTIONS_FORMATS_H_
#define BLOOMLINE_FILTER_OPTIONS_FORMATS_H_

#include <iterator>
#include <string>

#include "bloomline/filter_options.h"

namespace bloomline::filter {

// The facts about a format that need no layout (layout_table.h has its plan).
struct FormatRow {
  Format format;
  const char* name;   // in options
  const char* title;  // among the filters of all engines
  BitsPerKeyRange bits_per_key;
  bool in_leveldb;
  bool in_rocksdb;
  bool has_trailer;           // bloomline's, which has room for a seed
  const char* rocksdb_policy;  // whose own filters these are; empty: none
};

// All rows, in the order of the numbers (format_table.cc).
struct FormatTable {
  const FormatRow* first;
  const FormatRow* last;

  constexpr const FormatRow* begin() const { return first; }
  constexpr const FormatRow* end() const { return last; }
};
extern const FormatTable kFormats;

// Returns null for a number without a format.
const FormatRow* FindRow(Format format);

// Needs IsKnown(format).
inline const FormatRow& RowOf(Format format) { return *FindRow(format); }

inline bool IsKnown(Format format) { return FindRow(format) != nullptr; }

// RocksDB's own filters.
bool IsStock(Format format);

// bloomline's own filters.
bool TakesSeed(Format format);

// The names of the formats in RocksDB: "blocked, compact, bloom, ribbon".
std::string RocksDBFormatNames();

inline bool IsAllowed(Format format, double bits_per_key) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  return IsKnown(format) && bits_per_key >= allowed.min && bits_per_key <= allowed.max;
}

// "1 to 100": AllowedBitsPerKey.
std::string AllowedBitsText(Format format);

// Checks FilterOptions::Validate, and that the format is one of bloomline's own. Empty if valid, or
// one sentence.
std::string ValidateForTrailer(const FilterOptions& options);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_OPTIONS_FORMATS_H_
