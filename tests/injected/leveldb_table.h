// Where things lie in a LevelDB table.
#ifndef BLOOMLINE_TESTS_INJECTED_LEVELDB_TABLE_H_
#define BLOOMLINE_TESTS_INJECTED_LEVELDB_TABLE_H_

#include <cstdint>
#include <string>

namespace bloomline::tests {

// The filter block, from *first to before *last, without its checksum. False: there is none.
bool FindLevelDBFilterBlock(const std::string& path, uint64_t* first, uint64_t* last);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_INJECTED_LEVELDB_TABLE_H_
