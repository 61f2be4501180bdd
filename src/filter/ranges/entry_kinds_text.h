// Kinds of range entries as text of the option range_prefixes.
#ifndef BLOOMLINE_FILTER_RANGES_ENTRY_KINDS_TEXT_H_
#define BLOOMLINE_FILTER_RANGES_ENTRY_KINDS_TEXT_H_

#include <string>

#include "src/filter/ranges/range_field.h"

namespace bloomline::filter {

// "4:8:124bits:after0x2f@1+2": each key's first 4 and 8 bytes, its first 124 bits, and its
// beginnings up to its first and second slash; without "@", up to each. "none" for no kinds. The
// option reads it back as the same kinds, of one copy each.
std::string OptionText(const EntryKinds& kinds);

}  // namespace bloomline::filter

#endif  // BLOOMLINE_FILTER_RANGES_ENTRY_KINDS_TEXT_H_
