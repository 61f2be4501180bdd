// Checks whether all of a database lies below its folder.
#ifndef BLOOMLINE_ENGINES_REWRITE_SELF_CONTAINED_H_
#define BLOOMLINE_ENGINES_REWRITE_SELF_CONTAINED_H_

#include <string>

#include "rocksdb/options.h"

namespace bloomline::rewrite {

// A copy's OPTIONS file may name the folders of the original. RocksDB would then replay the
// original's log into the copy, and delete the log. So this function returns false, with *error, if
// a path in the options or a symbolic link leads, or may lead, out of the folder; if another folder
// has hard links to files that RocksDB changes; or if RocksDB would overlook logs in this folder.
//
// RocksDB does not record db_paths and cf_paths: the program looks for the tables itself.
bool IsSelfContained(const std::string& folder, const ROCKSDB_NAMESPACE::DBOptions& options,
                     std::string* error);

}  // namespace bloomline::rewrite

#endif  // BLOOMLINE_ENGINES_REWRITE_SELF_CONTAINED_H_
