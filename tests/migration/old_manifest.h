// Makes a LevelDB database one that RocksDB opens.
#ifndef BLOOMLINE_TESTS_MIGRATION_OLD_MANIFEST_H_
#define BLOOMLINE_TESTS_MIGRATION_OLD_MANIFEST_H_

#include <string>

namespace bloomline::tests {

// LevelDB's MANIFEST does not have the sequence numbers of tables, and RocksDB's assertions do not
// hold for those it then takes. This rewrites the MANIFEST as early versions of RocksDB wrote it.
// The tables stay: they are those of RocksDB with format_version 0, which versions before 3.9
// wrote, and all of one level. Returns false if the MANIFEST is not as expected.
bool WriteRocksDBManifest(const std::string& database);

}  // namespace bloomline::tests

#endif  // BLOOMLINE_TESTS_MIGRATION_OLD_MANIFEST_H_
