// What a source holds in the place of the saved filter that was expected, for errors.
#ifndef BLOOMLINE_IN_MEMORY_WHAT_IT_HOLDS_H_
#define BLOOMLINE_IN_MEMORY_WHAT_IT_HOLDS_H_

#include <string>
#include <string_view>

#include "src/memory/byte_io.h"

namespace bloomline::filters {

// The first 8 bytes of saved filters (docs/format.md, sections 8 to 10).
constexpr char kBloomMagic[] = "bLnBloom";
constexpr char kScalableMagic[] = "bLnScale";
constexpr char kCountingMagic[] = "bLnCount";

// "a saved BloomFilter" and the like; empty for a magic number of no kind.
std::string_view SavedKind(std::string_view magic);

// "is ..." for a source that begins with `first_bytes`: empty, a saved filter of any kind, a static
// filter, a table of LevelDB or RocksDB. Empty if it is none of these.
std::string WhatItHolds(const ByteSource& source, std::string_view first_bytes);

}  // namespace bloomline::filters

#endif  // BLOOMLINE_IN_MEMORY_WHAT_IT_HOLDS_H_
