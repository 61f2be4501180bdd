// Filters in the LevelDB container, for tests that do without LevelDB.
#ifndef BLOOMLINE_TESTS_SUPPORT_LEVELDB_FILTER_H_
#define BLOOMLINE_TESTS_SUPPORT_LEVELDB_FILTER_H_

#include <string>
#include <string_view>
#include <vector>

#include "bloomline/filter_options.h"

namespace bloomline::tests {

// Filters of docs/format.md, section 4, as the adaptor writes them, with one difference: in
// kCompact every set that can be compact is, also where the flat layout is more accurate. At least
// one key.
std::string LevelDBFilter(const FilterOptions& options, const std::vector<std::string_view>& keys);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_SUPPORT_LEVELDB_FILTER_H_
