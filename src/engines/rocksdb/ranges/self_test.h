// A look at the calls that the running RocksDB makes of the range extractor (range_extractor.h).
#ifndef BLOOMLINE_ENGINES_ROCKSDB_RANGES_SELF_TEST_H_
#define BLOOMLINE_ENGINES_ROCKSDB_RANGES_SELF_TEST_H_

#include <string>

namespace bloomline {

// Writes and scans a database in memory. Returns an empty string if filters were queried for all
// the ranges that were scanned, and for no others, and if scans found their keys; else one sentence
// that says what differs. `bloomline.ranges` must be registered, and this thread must be a
// TestingThread (range_trust.h). Throws only if out of memory. It uses no thread of the program's
// Env, so callers may hold locks for which such threads wait. *has_database: whether RocksDB made
// the database; without one, nothing is known of the calls.
std::string TestCallsForRanges(bool* has_database);

}  // namespace bloomline

#endif  // BLOOMLINE_ENGINES_ROCKSDB_RANGES_SELF_TEST_H_
