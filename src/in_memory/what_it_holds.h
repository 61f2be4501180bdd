// What a source holds in the place of the saved filter that was expected, for errors.
#ifndef BLOOMLINE_IN_MEMORY_WHAT_IT_HOLDS_H_
#define BLOOMLINE_IN_MEMORY_WHAT_IT_HOLDS_H_

#include <string>
#include <string_view>

#include "src/memory/byte_io.h"

namespace bloomline::filters {

// "is ..." for a source that begins with `first_bytes`: empty, a saved filter of any kind, a static
// filter, a table of LevelDB or RocksDB. Empty if it is none of these.
std::string WhatItHolds(const ByteSource& source, std::string_view first_bytes);

}  // namespace bloomline::filters

#endif  // BLOOMLINE_IN_MEMORY_WHAT_IT_HOLDS_H_
