// Filters in the LevelDB container, for tests that do without LevelDB.
#ifndef BLOOMLINE_TESTS_LEVELDB_FILTER_H_
#define BLOOMLINE_TESTS_LEVELDB_FILTER_H_

#include <string>
#include <string_view>
#include <vector>

#include "bloomline/filter_options.h"

namespace bloomline::tests {

// docs/format.md, section 4, as the adaptor writes it; only in kCompact every set for which there
// are compact lines gets them, also where the flat layout would be more accurate. At least one key.
std::string LevelDBFilter(const FilterOptions& options, const std::vector<std::string_view>& keys);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_LEVELDB_FILTER_H_
