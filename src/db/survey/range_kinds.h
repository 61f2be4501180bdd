// What range filters know of their keys (docs/format.md, section 12).
#ifndef BLOOMLINE_DB_SURVEY_RANGE_KINDS_H_
#define BLOOMLINE_DB_SURVEY_RANGE_KINDS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "src/filter/ranges/range_field.h"
#include "src/tool/json.h"

namespace bloomline::db {

// The kinds of entries in one range filter or in several.
struct RangeKinds {
  std::set<unsigned> cell_bits;
  std::map<unsigned char, uint8_t> depths;  // by delimiter; bit i: depth i + 1

  void Add(const filter::EntryKinds& kinds);
  void Add(const RangeKinds& other);

  // "4, 8, 13.5 bytes; after '/' 1-3, 8+" means: the first 4 bytes of each key, the first 8, and so
  // on; each key up to its first, second and third slash, and up to its eighth and each later one.
  // Lengths that differ by less than a byte are merged: "13.1-13.5". Empty without kinds.
  std::string Text() const;
  tool::Json ToJson() const;
};

}  // namespace bloomline::db

#endif  // BLOOMLINE_DB_SURVEY_RANGE_KINDS_H_
