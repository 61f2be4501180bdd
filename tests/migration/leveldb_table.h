// What a LevelDB table says of its filters.
#ifndef BLOOMLINE_TESTS_MIGRATION_LEVELDB_TABLE_H_
#define BLOOMLINE_TESTS_MIGRATION_LEVELDB_TABLE_H_

#include <string>

namespace bloomline::tests {

// The policy's name and whether the filters are LevelDB's own ("stock"), bloomline's or both;
// "none" without filters; "unreadable". The table is not compressed.
std::string LevelDBFiltersOf(const std::string& path);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_MIGRATION_LEVELDB_TABLE_H_
