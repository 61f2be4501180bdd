// Creates, opens, checks and deletes the keys of a filter.
//
//   (CreateFilter | OpenFilter) CheckShards ConfirmFilter*
#ifndef BLOOMLINE_REDIS_LIFECYCLE_H_
#define BLOOMLINE_REDIS_LIFECYCLE_H_

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

// Creates the filter, or finds one with the same parameters. *layout gets its id. If another client
// has left a filter unfinished, finishes it, or removes it if one of its shards has expired.
bool CreateFilter(Router* router, const std::string& name, Layout* layout, std::string* error,
                  const CreationPace& pace = {});

// Finds the filter. Finishes it if its creator has not.
bool OpenFilter(Router* router, const std::string& name, Layout* layout, std::string* error);

// Checks that all shards exist and have their length.
bool CheckShards(Router* router, const std::string& name, const Layout& layout, std::string* error);

// The steps of CreateFilter: first shards that expire, then the metadata that names them, then the
// shards become permanent. docs/redis_protocol.md, "Creation", has the state diagrams.

// Creates all shards, filled, with an expiry.
bool MakeShards(Router* router, const Layout& layout, const std::vector<Shard>& shards,
                const CreationPace& pace, std::string* error);

// Writes the metadata that names the shards. The filter then exists, unfinished. *ours: false if
// there is another filter; then nobody will ever use these shards. True also if there is none: ours
// was deleted, or is on another node while its slot moves. On failure it is unknown whether the
// filter exists or will exist.
bool PublishFilter(Router* router, const std::string& name, const Layout& layout,
                   const CreationPace& pace, bool* ours, std::string* error);

bool DeleteFilter(Router* router, const std::string& name, std::string* error);

// Waits until options.min_replicas replicas have the metadata and the permanent shards. Without the
// metadata, the shards would not be found after a failover, and a filter created in their place
// would be empty. Without the end of the creation, the shards would expire with all keys added
// since.
bool ConfirmFilter(Router* router, const std::string& name, const Layout& layout,
                   const std::vector<Shard>& shards, const AddOptions& options, std::string* error);

// Removes a string that BITFIELD created in place of a missing shard: one without its last marker.
void RemoveRemnant(Router* router, const std::string& name, const Layout& layout, uint32_t shard);

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_LIFECYCLE_H_
