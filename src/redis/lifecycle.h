// Making, finding and removing the keys of a filter.
#ifndef BLOOMLINE_REDIS_LIFECYCLE_H_
#define BLOOMLINE_REDIS_LIFECYCLE_H_

#include <string>
#include <vector>

#include "src/redis/creation.h"
#include "src/redis/layout.h"
#include "src/redis/router.h"

namespace bloomline::redis {

// Each returns false, with the reason, on failure.

// Makes the filter, or finds that there is one with the same parameters. *layout gets its id. An
// unfinished one that somebody else began is finished, or removed if that is too late.
bool CreateFilter(Router* router, const std::string& name, Layout* layout, std::string* error,
                  const CreationPace& pace = {});

// Finds the filter, and finishes it if its creator has not.
bool OpenFilter(Router* router, const std::string& name, Layout* layout, std::string* error);

// All shards are there and have their length.
bool CheckShards(Router* router, const std::string& name, const Layout& layout, std::string* error);

bool DeleteFilter(Router* router, const std::string& name, std::string* error);

// As many replicas as `options` demands have the metadata and, permanent, the shards. After a
// failover the shards would not be found without it, and a filter made in its place would be empty;
// and if the end of the creation is lost, the shards expire, with what was added since.
bool ConfirmFilter(Router* router, const std::string& name, const Layout& layout,
                   const std::vector<Shard>& shards, const AddOptions& options, std::string* error);

// Removes a shard that a BITFIELD made where none was: one without its last marker.
void RemoveRemnant(Router* router, const std::string& name, const Layout& layout, uint32_t shard);

}  // namespace bloomline::redis

#endif  // BLOOMLINE_REDIS_LIFECYCLE_H_
