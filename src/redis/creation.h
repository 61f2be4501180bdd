// The steps that create a filter: first shards that expire, then the metadata that names them, then
// the shards become permanent. docs/redis.md, "Creation", has the state diagrams.
//
//   MakeShards PublishFilter FinishFilter
#ifndef BLOOMLINE_REDIS_CREATION_H_
#define BLOOMLINE_REDIS_CREATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/redis/batches.h"
#include "src/redis/layout.h"
#include "src/redis/router.h"

namespace bloomline::redis {

// How long the keys of a dead creator live, and how many bytes are created between two checks of
// the clock.
struct CreationPace {
  int expiry_seconds = 3600;
  uint64_t group_bytes = uint64_t{1} << 30;  // takes about a second
};

// Each function returns false, with the reason, on failure.

// Creates all shards, filled, with an expiry.
bool MakeShards(Router* router, const Layout& layout, const std::vector<Shard>& shards,
                const CreationPace& pace, std::string* error);

// Writes the metadata that names the shards. The filter then exists, unfinished. *ours: false if
// there is another filter, or ours was deleted meanwhile; then nobody will ever use these shards.
// On failure it is unknown whether the filter exists or will exist.
bool PublishFilter(Router* router, const std::string& name, const Layout& layout,
                   const CreationPace& pace, bool* ours, std::string* error);

// Makes the shards of a published filter permanent. *lost: it failed because a shard is missing or
// was never filled.
bool KeepShards(Router* router, const Layout& layout, const std::vector<Shard>& shards,
                const AddOptions& options, bool* lost, std::string* error);

// KeepShards, then marks the filter as finished. *lost: it failed because the filter was deleted or
// a shard has expired. If it was unfinished until now, nobody has added a key to it.
bool FinishFilter(Router* router, const std::string& name, const Layout& layout, bool* lost,
                  std::string* error);

// UNLINK of each shard.
bool RemoveShards(Router* router, const std::vector<Shard>& shards, std::string* error);

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_CREATION_H_
