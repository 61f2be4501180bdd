// Positions in a LevelDB table.
#ifndef BLOOMLINE_TESTS_INJECTED_LEVELDB_TABLE_H_
#define BLOOMLINE_TESTS_INJECTED_LEVELDB_TABLE_H_

#include <cstdint>
#include <string>

namespace bloomline::tests {

// Sets *first and *last to the filter block's first byte and the byte after its last, without its
// checksum. Returns false if there is none.
bool FindLevelDBFilterBlock(const std::string& path, uint64_t* first, uint64_t* last);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_INJECTED_LEVELDB_TABLE_H_
