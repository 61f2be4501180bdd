// RewriteFilters for all column families of a database whose program knows nothing of it.
#ifndef BLOOMLINE_ENGINES_PRELOAD_DATABASE_REWRITE_H_
#define BLOOMLINE_ENGINES_PRELOAD_DATABASE_REWRITE_H_

#include <functional>
#include <string>

#include "bloomline/rewrite_filters.h"

namespace bloomline::preload {

struct DatabaseReport {
  bool is_complete = false;  // every file has the filter that it should have
  std::string text;          // of all families
};

// `options.progress` is replaced: show_progress gets a line before each file. May throw bad_alloc.
//
// Families with disable_auto_compactions are left out. While a program opens a TransactionDB or
// BlobDB, RocksDB sets this option, because a compaction could lose data until these have read
// their state.
DatabaseReport RewriteDatabase(rocksdb::DB* db, RewriteOptions options,
                               const std::function<void(const std::string& line)>& show_progress);

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_DATABASE_REWRITE_H_
