// What libbloomline_rocksdb_preload.so calls in libbloomline_rocksdb_preload_policy.so when the
// program opens and closes databases. Needs only libc: see environment.h.
#ifndef BLOOMLINE_ENGINES_PRELOAD_DATABASE_WATCH_H_
#define BLOOMLINE_ENGINES_PRELOAD_DATABASE_WATCH_H_

#include "src/engines/preload/environment.h"

namespace bloomline::preload {

// Starts a thread that looks for requests (rewrite_request.h) to rewrite the filters of `db`, a
// rocksdb::DBImpl. Must be followed by kUnwatchFunction before `db` is closed or destroyed.
constexpr char kWatchFunction[] = "bloomline_preload_watch";
using WatchFunction = void (*)(void* db, const Environment* environment);

// Ends it: cancels a rewrite, and waits for it to end. Does nothing if `db` is not watched.
constexpr char kUnwatchFunction[] = "bloomline_preload_unwatch";
using UnwatchFunction = void (*)(void* db);

}  // namespace bloomline::preload

#endif  // BLOOMLINE_ENGINES_PRELOAD_DATABASE_WATCH_H_
