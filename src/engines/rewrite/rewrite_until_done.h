// RewriteFilters for a program that alone has the database open: it can wait and look again.
#ifndef BLOOMLINE_ENGINES_REWRITE_REWRITE_UNTIL_DONE_H_
#define BLOOMLINE_ENGINES_REWRITE_REWRITE_UNTIL_DONE_H_

#include <string>

#include "bloomline/rewrite_filters.h"

namespace bloomline::rewrite {

// Calls RewriteFilters until a last look finds nothing to do, 4 times at most. Between calls, it
// waits for RocksDB's own compactions, which may hold files that need a new filter. A compaction
// that begins while the database is opened may also make a filter of the wrong size, because the
// policy does not know yet which levels are in use. A single call misses the file of that filter if
// the compaction ends during the call.
//
// Prints each report, except the report of a last look that only confirms the one before. Returns
// the result of the last call, and its report. A dry run, an error, files left for other reasons
// and `cancel` end the calls.
bool RewriteUntilDone(ROCKSDB_NAMESPACE::DB* db, ROCKSDB_NAMESPACE::ColumnFamilyHandle* family,
                      RewriteOptions options, RewriteReport* report, std::string* error);

}  // namespace bloomline::rewrite

#endif  // BLOOMLINE_ENGINES_REWRITE_REWRITE_UNTIL_DONE_H_
