// Whether all of a database lies below its folder.
#ifndef BLOOMLINE_ENGINES_REWRITE_SELF_CONTAINED_H_
#define BLOOMLINE_ENGINES_REWRITE_SELF_CONTAINED_H_

#include <string>

#include "rocksdb/options.h"

namespace bloomline::rewrite {

// A copy's OPTIONS file may name the folders of the original. RocksDB would then replay the
// original's log into the copy, and delete it. So this returns false, with *error, if a path of the
// options or a symbolic link leads out of the folder or may do so, if another folder has hard links
// to files that RocksDB changes, and if it would overlook logs in this one.
//
// RocksDB does not record db_paths and cf_paths: the program looks for the tables itself.
bool IsSelfContained(const std::string& folder, const ROCKSDB_NAMESPACE::DBOptions& options,
                     std::string* error);

}  // namespace bloomline::rewrite

#endif  // BLOOMLINE_ENGINES_REWRITE_SELF_CONTAINED_H_
