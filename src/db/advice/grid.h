// The wasted reads of a database with filters of each kind, over their memory.
#ifndef BLOOMLINE_DB_ADVICE_GRID_H_
#define BLOOMLINE_DB_ADVICE_GRID_H_

#include <string>
#include <vector>

#include "src/db/advice/advice.h"
#include "src/db/advice/division.h"

namespace bloomline::advice {

std::string Title(Format format);  // "RocksDB Bloom", "compact"

// A row for each format that the engine's policy writes, and, if bits can differ by level, another
// one for these. kBlocked is left out in RocksDB: it wastes as many reads as RocksDB's Bloom
// filter.
std::vector<GridRow> GridOf(const Tree& tree, bool can_differ_by_level);

}  // namespace bloomline::advice

#endif  // BLOOMLINE_DB_ADVICE_GRID_H_
