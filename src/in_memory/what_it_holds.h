// What a source holds in the place of the saved filter that was expected, for errors.
#ifndef BLOOMLINE_IN_MEMORY_WHAT_IT_HOLDS_H_
#define BLOOMLINE_IN_MEMORY_WHAT_IT_HOLDS_H_

#include <string>
#include <string_view>

#include "src/support/byte_io.h"

namespace bloomline::in_memory {

// "is ..." for a source that begins with `first_bytes`: empty, a saved filter of any kind, a static
// filter, a table of LevelDB or RocksDB. Empty if it is none of these.
std::string WhatItHolds(const support::ByteSource& source, std::string_view first_bytes);

}  // namespace bloomline::in_memory

#endif  // BLOOMLINE_IN_MEMORY_WHAT_IT_HOLDS_H_
