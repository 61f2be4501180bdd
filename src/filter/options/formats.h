// The groups of formats, and which options each takes.
#ifndef BLOOMLINE_FILTER_OPTIONS_FORMATS_H_
#define BLOOMLINE_FILTER_OPTIONS_FORMATS_H_

#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "bloomline/filter_options.h"

namespace bloomline::filter {

// The facts about a format that do not depend on a layout (layout_table.h has its plan).
struct FormatRow {
  Format format;
  const char* name;   // in options
  const char* title;  // among the filters of all engines
  BitsPerKeyRange bits_per_key;
  bool in_leveldb;
  bool in_rocksdb;
  bool is_static;   // standalone filters can have it (FilterBuilder)
  bool takes_seed;  // in LevelDB or standalone
  // Whether the bits_per_key of an engine's policy is the memory per key, as in static filters. If
  // not, it is that of a Bloom filter with the same false-positive rate, which takes more.
  bool bits_are_memory = true;
  // RocksDB's own filters: the name of its policy, and what follows the bits in its id. If that is
  // empty, the level up to which files get Bloom filters follows.
  const char* rocksdb_policy = "";
  const char* rocksdb_suffix = "";

  constexpr bool takes_bloom_level() const {
    return *rocksdb_policy != '\0' && *rocksdb_suffix == '\0';
  }
};

// All rows, in the order of the numbers (formats.cc).
struct FormatTable {
  const FormatRow* first;
  const FormatRow* last;

  constexpr const FormatRow* begin() const { return first; }
  constexpr const FormatRow* end() const { return last; }
};
extern const FormatTable kFormats;

// Never fails: an unknown number gets a row named "unknown" that no engine supports.
const FormatRow& RowOf(Format format);
bool IsKnown(Format format);

// RocksDB's own filters.
inline bool IsStock(Format format) { return *RowOf(format).rocksdb_policy != '\0'; }

// Whether the hash takes a seed. In RocksDB's own filters, it takes none.
inline bool TakesSeed(Format format) { return RowOf(format).takes_seed; }

// Filters in engines whose bytes are bloomline's own: only bloomline uses them.
inline bool IsOwn(Format format) { return TakesSeed(format) && !IsStock(format); }

// The format of this name, or nothing.
std::optional<Format> FormatNamed(std::string_view name);

// The names of the formats for which the fact is true, in the order of the table, with ", " between
// them.
std::string NamesOfFormats(bool FormatRow::*fact);

// The filters that the engines write by default without bloomline.
constexpr Format kRocksDBDefault = Format::kBloom, kLevelDBDefault = Format::kClassic;

inline bool IsAllowed(Format format, double bits_per_key) {
  const BitsPerKeyRange allowed = AllowedBitsPerKey(format);
  return IsKnown(format) && bits_per_key >= allowed.min && bits_per_key <= allowed.max;
}

// "1 to 100": AllowedBitsPerKey.
std::string AllowedBitsText(Format format);

// Checks FilterOptions::Validate, and that static filters have the format. Empty if valid, or one
// sentence.
std::string ValidateStatic(const FilterOptions& options);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_OPTIONS_FORMATS_H_
