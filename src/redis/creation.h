// The steps of making a filter: shards that expire, the metadata that names them, and then shards
// that stay. docs/redis.md, "Creation".
#ifndef BLOOMLINE_REDIS_CREATION_H_
#define BLOOMLINE_REDIS_CREATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/redis/batches.h"
#include "src/redis/layout.h"
#include "src/redis/router.h"

namespace bloomline::redis {

// How long what a dead creator leaves stays, and how much is made between two looks at the clock.
struct CreationPace {
  int expiry_seconds = 3600;
  uint64_t group_bytes = uint64_t{1} << 30;  // a second or so
};

// Each returns false, with the reason, on failure.

// Makes all shards, filled and with an expiry.
bool MakeShards(Router* router, const Layout& layout, const std::vector<Shard>& shards,
                const CreationPace& pace, std::string* error);

// Names the shards in the metadata; the filter is then there, unfinished. *ours: false if there is
// another filter, or ours was deleted meanwhile, so that nobody will ever use these shards. On
// failure nobody knows whether the filter is there, or will be.
bool PublishFilter(Router* router, const std::string& name, const Layout& layout,
                   const CreationPace& pace, bool* ours, std::string* error);

// Makes the shards of a published filter permanent. *lost: it failed because one is missing, or was
// never filled.
bool KeepShards(Router* router, const Layout& layout, const std::vector<Shard>& shards,
                const AddOptions& options, bool* lost, std::string* error);

// KeepShards, and then says so in the metadata. *lost: it failed because the filter was deleted or
// a shard has expired; nobody has added a key to it if it was unfinished until now.
bool FinishFilter(Router* router, const std::string& name, const Layout& layout, bool* lost,
                  std::string* error);

// UNLINK of each.
bool RemoveShards(Router* router, const std::vector<Shard>& shards, std::string* error);

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_CREATION_H_
