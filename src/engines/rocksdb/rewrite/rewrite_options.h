// Reads RewriteOptions from text, for callers that cannot set fields:
// "bytes_per_second=20M;dry_run=true".
#ifndef BLOOMLINE_ENGINES_ROCKSDB_REWRITE_REWRITE_OPTIONS_H_
#define BLOOMLINE_ENGINES_ROCKSDB_REWRITE_REWRITE_OPTIONS_H_

#include <string>
#include <string_view>

#include "bloomline/rewrite_filters.h"

namespace bloomline::engine {

// Sets fields that are numbers or flags, by their names in the text. Returns false and sets *error
// if a name or a value is wrong.
bool ParseRewriteOptions(std::string_view text, RewriteOptions* options, std::string* error);

}  // namespace bloomline::engine

#endif  // BLOOMLINE_ENGINES_ROCKSDB_REWRITE_REWRITE_OPTIONS_H_
